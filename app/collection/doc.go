// Package collection reads and changes collections: their assets, their order, and the
// rules of those that fill themselves.
package collection
