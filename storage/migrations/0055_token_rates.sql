-- The rate of a token that has its own, in requests a minute; 0 for that of the server.
ALTER TABLE tokens ADD COLUMN rate_limit INTEGER NOT NULL DEFAULT 0 CHECK (rate_limit BETWEEN 0 AND 1000000);
