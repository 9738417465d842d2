// Package idempotency remembers the answers to requests with an idempotency key.
package idempotency
