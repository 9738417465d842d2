// Package library knows the layout of a data folder: the names in it, whether its
// database and its files belong together, and how much space its disk has.
package library
