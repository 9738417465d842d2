// Package original opens original files, wherever they are: in the data folder or in an
// external library. It marks damaged files and serves them to nobody.
package original
