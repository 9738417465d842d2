// Package maintain checks, repairs, backs up and describes a library, and deletes what is
// beyond its retention.
package maintain
