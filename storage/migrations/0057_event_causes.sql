-- Whether an event tells what the server found out in the background, and which webhooks leave those out.
ALTER TABLE events ADD COLUMN enrichment INTEGER NOT NULL DEFAULT 0 CHECK (enrichment IN (0, 1));
ALTER TABLE webhooks ADD COLUMN skip_enrichment INTEGER NOT NULL DEFAULT 0 CHECK (skip_enrichment IN (0, 1));
