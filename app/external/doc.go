// Package external keeps the assets of external libraries up to date: it scans the
// folders, follows changes in them, and forgets folders. Package ingest reads the files.
package external
