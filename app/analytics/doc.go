// Package analytics counts the use of a library. What answers questions about the counts
// is in package report.
package analytics
