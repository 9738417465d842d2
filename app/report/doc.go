// Package report answers questions about the use of a library.
package report
