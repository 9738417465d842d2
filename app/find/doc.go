// Package find searches a library and lists its assets: queries, facets, suggestions,
// duplicates, similar assets and saved searches, within the rights of the actor. It also
// keeps the vectors for semantic search.
package find
