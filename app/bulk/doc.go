// Package bulk works on many assets at a time: bulk changes, exports, tables that update
// assets, and imports of folders. An operation runs in turns of background jobs, so that
// it can be cancelled, and goes on after an interruption.
package bulk
