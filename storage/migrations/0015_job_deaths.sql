-- How often the process died with a job in hand.
ALTER TABLE jobs ADD COLUMN deaths INTEGER NOT NULL DEFAULT 0;
DROP INDEX jobs_due;
CREATE INDEX jobs_due ON jobs (kind, priority, run_at, id) WHERE state = 'ready' AND deaths = 0;
CREATE INDEX jobs_suspect ON jobs (kind, run_at, id) WHERE state = 'ready' AND deaths > 0;
