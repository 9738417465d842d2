// Package bulk works on many assets at a time: bulk changes, exports, tables that update
// assets, and imports of folders. An operation runs in turns of background jobs. It can be
// cancelled, and continues after an interruption.
package bulk
