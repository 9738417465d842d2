// Package render makes pictures and copies of originals: renditions, images of any size
// with signed URLs, browser-playable copies, and copies without metadata.
package render
