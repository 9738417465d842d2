// Package app implements the use cases of dal for the web interface and the command line,
// one file per noun.
//
// # Structure
//
// App is the entry point. Its exported methods are the use cases: each asks policy.go
// whether the actor may, and then reads or changes the database. Anything with state or a
// goroutine is a small type held by App. It gets only the dependencies that it requires, and
// never App:
//
//	Accounts    users, logins and tokens
//	Trail       the audit log (package trail)
//	Exports     export files (their formats are in package export)
//	originals   original files: opening, releasing, marking damage (damage.go)
//	renditions  previews of originals
//	ingest      turns uploaded files into assets, with the scanner
//	operations  bulk changes, exports and analyses, in steps
//	meaning     vectors for semantic search
//	index       the search engine, and whether a search is running
//	followups   follow-up work after changes to very many assets
//	jobs        the queue of background work
//	disks       reserves the last free disk space for the database
//	upkeep      periodic maintenance: cleanup, lost files, the identity, backups
//	webhooks    delivers events (package webhook)
//
// The nouns and their rules are in app/dam, which every package may import. The other
// packages below app each have a single purpose and do not know this one.
//
// # The transaction rule
//
// A change commits together with its event, its entry in the index queue and the jobs that
// follow: a visible change is complete, and a committed change never loses its follow-up
// work. store.Update must not do I/O or call Update. Long work runs outside and returns a
// commit, which the job runner executes in the transaction that completes the job.
//
// # Wake-ups
//
// A transaction registers the parts to wake with tx.OnCommit: index.changed for the search
// engine, jobs.add for the job runner, webhooks.Wake for deliveries, upkeep.soon for
// maintenance. New events wake webhooks automatically. A lost wake-up delays work but does
// not lose it: everything that can be woken also polls, because commands write to the same
// library from other processes.
//
// # Life of an upload
//
// Upload (upload.go) streams into a blob while hashing, and queues a job with the file.
// ingest.work scans, validates and extracts, and its commit adds the asset with its event,
// its entry in the index queue, and the end of its batch. The engine then indexes it,
// meaning embeds its text, and webhooks deliver the event.
package app
