-- An operation is a draft while its items are being inserted, in several
-- transactions so that others get their turn. Nobody sees it, or works on it.
ALTER TABLE operations ADD COLUMN draft INTEGER NOT NULL DEFAULT 0 CHECK (draft IN (0, 1));
CREATE INDEX operations_drafts ON operations (created_at) WHERE draft = 1;
