// Package maintain checks, repairs, backs up and describes a library, and deletes data
// beyond its retention.
package maintain
