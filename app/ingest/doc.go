// Package ingest receives files in upload batches and turns them into assets.
//
// A file passes these stages: upload.go and resumable.go receive it, scanner.go scans it,
// ingest.go validates it, extracts its facts and commits the asset. A sidecar
// (sidecar.go), a file of the same photo (stack.go), a new version (version.go) and a
// guest upload (guest.go) branch off there. Files of external libraries take the same
// way; inplace.go and the files beside it link them with their assets.
package ingest
