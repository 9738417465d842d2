-- Whose file an ingestion job reads, in which batch, and its turn among those of its owner: see job_fair.go.
-- The owner is the id of a user, or that of a share with a minus for guest uploads; 0 for jobs that are older
-- than this, and for those of other kinds.
ALTER TABLE jobs ADD COLUMN owner INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN batch INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN turn INTEGER NOT NULL DEFAULT 0;
CREATE INDEX jobs_of_owner ON jobs (owner, priority) WHERE kind = 'ingest';
CREATE INDEX jobs_of_batch ON jobs (owner, batch, turn) WHERE kind = 'ingest';
CREATE INDEX jobs_next ON jobs (owner, priority, id) WHERE kind = 'ingest' AND state = 'ready' AND deaths = 0;
CREATE INDEX jobs_next_of_owner ON jobs (owner, turn, id) WHERE kind = 'ingest' AND state = 'ready' AND deaths = 0;
