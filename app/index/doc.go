// Package index tells the search engine of changes, caches the metadata definitions, and
// does the follow-up work of a change of very many assets.
package index
