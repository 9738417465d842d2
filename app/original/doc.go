// Package original opens original files in the data folder and in external libraries, and
// marks damaged files, which are not served.
package original
