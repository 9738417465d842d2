// Package analyze analyses the content of assets after their ingestion: text in pictures,
// tags, and captions by a model. Each kind is a task with an analyzer.
package analyze
