// Package asset reads and changes assets, and opens their files.
package asset
