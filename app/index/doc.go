// Package index holds the search engine for those who change what it finds: it notes
// changes, caches the metadata definitions and the assets of lists, and does the work
// that follows from a change of very many assets.
package index
