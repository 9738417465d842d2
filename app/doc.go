// Package app is what dal does: the use cases behind the interface and the
// command line, one file a noun.
//
// # Rooms
//
// App is the entrance. Its exported methods are the use cases: each asks policy.go
// whether the actor may, and then reads or changes the records. Whatever has state
// or a goroutine of its own is a small type that App holds. It knows only what it
// needs, and never App:
//
//	Accounts    users, log-ins and tokens
//	Trail       the audit trail (package trail)
//	Exports     the files of exports (their form is package export)
//	originals   the uploaded files: opened, released, marked when damaged (damage.go)
//	renditions  their pictures, in smaller sizes
//	ingest      turns uploaded files into assets, with the scanner
//	operations  bulk changes, exports and analyses, in turns
//	meaning     vectors for search by meaning
//	index       the search engine, and whether somebody is searching
//	followups   what follows from a change of very many assets
//	jobs        the queue of background work
//	disks       keeps the last free space for the records
//	upkeep      what has to be done from time to time: tidying, lost files, the mark, backups
//	webhooks    delivers events (package webhook)
//
// The nouns and their rules are in app/dam, which everybody may import. Other
// packages below app do one thing each and do not know this one.
//
// # The transaction rule
//
// A change commits together with its event, its place in the index queue and the
// jobs that follow: what is visible has happened, and what has happened is never
// forgotten. Inside store.Update there is no input or output and no second
// Update. Long work happens outside and returns a commit, which the job runner
// executes in the transaction that completes the job.
//
// # Who wakes whom
//
// A transaction registers with tx.OnCommit what it wakes: index.changed for the
// search engine, jobs.add for the job runner, webhooks.Wake for deliveries,
// upkeep.soon for upkeep. New events wake webhooks by themselves. A lost wake-up
// costs time, not work: everything that can be woken also polls, because commands
// write to the same library from other processes.
//
// # One file's way
//
// Upload (upload.go) streams into a blob while hashing, and queues a job with the
// file. ingest.work scans, validates and extracts, and its commit admits the
// asset with its event, its place in the index queue, and the end of its batch.
// The engine then indexes it, meaning embeds its text, and webhooks deliver the
// event.
package app
