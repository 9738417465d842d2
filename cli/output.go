package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/dustin/go-humanize"
)

// newTable returns a writer that aligns tab-separated columns. The caller must flush it.
func newTable(w io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(w, 0, 4, 2, ' ', 0) }

// isoTime formats a time as all commands print it: ISO 8601 in UTC, to the second.
func isoTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// isoTimeOr is isoTime, or the text absent if the time is nil.
func isoTimeOr(t *time.Time, absent string) string {
	if t == nil {
		return absent
	}
	return isoTime(*t)
}

// bytesText formats a number of bytes for people, such as "1.5 MiB".
func bytesText(n int64) string { return humanize.IBytes(uint64(n)) }

// plural formats a count with its noun, "1 file" or "2 files".
func plural[T int | int64](n T, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// sortedNames returns the keys of m in order.
func sortedNames[K ~string, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
