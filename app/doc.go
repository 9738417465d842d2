// Package app opens a library and wires its services.
//
// # Structure
//
// App holds the services, each in a package of its own. A service gets only its
// dependencies, and never App. Its exported methods are the use cases: each asks package access
// whether the actor may, and then reads or changes the database.
//
//	share        shares, embeds, guest uploads, reviews, terms of use, IIIF
//	external     external libraries: scans, changes, forgetting
//	ingest       upload batches, and the stages that turn a file into an asset
//	bulk         bulk changes, exports, tables and folders to import
//	analyze      text in pictures, tags, captions
//	maintain     checks, repairs, backups, status, retention
//	asset        assets and their files
//	collection   collections and their rules
//	schema       fields, vocabularies, classes, presets
//	account      users, sessions, tokens, passwords
//	find         searches, lists, facets, vectors
//	report       answers about the use
//	webhook      webhooks and their deliveries
//	backup       snapshots
//	export       formats of export files
//	live         the stream of changes
//	trail        the audit log
//
// They stand on these:
//
//	render       renditions, images, browser-playable copies, stripped copies
//	original     opening original files, marking damage
//	index        the search engine's changes, cached definitions, follow-up work
//	analytics    usage counts
//	idempotency  answers to repeated requests
//	job          the queue of background work and its runner
//	access       all permission rules, and who calls
//	library      the layout of the data folder, disk space
//	dam          the nouns and their rules, which every package may import
//
// These know nothing of a library: child, confine, engine, enrich, mail, media, npm, packed,
// scan, table, transcode.
//
// # The transaction rule
//
// A change commits together with its event, its entry in the index queue and the jobs that
// follow: a visible change is complete, and a committed change never loses its follow-up
// work. Store.Update must not do I/O or call Update. Long work runs outside and returns a
// commit, which the job runner executes in the transaction that completes the job.
//
// # Wake-ups
//
// A transaction registers the parts to wake with tx.OnCommit: Index.Changed for the search
// engine, Queue.Add for the job runner, webhook.Runner.Wake for deliveries, Upkeep.Soon for
// maintenance. New events wake webhooks automatically. A lost wake-up delays work but does
// not lose it: everything that can be woken also polls, because commands write to the same
// library from other processes.
//
// # Life of an upload
//
// ingest.Upload streams into a blob while hashing, and queues a job with the file.
// Ingester.Work scans, validates and extracts, and its commit adds the asset with its event,
// its entry in the index queue, and the end of its batch. The engine then indexes it,
// find.Meaning embeds its text, and webhooks deliver the event.
package app
