// Package schema reads and changes the fields, vocabularies, classes and presets of a
// library, one by one or all together from a file.
package schema
