-- What models have said about an asset: why its tags and its caption are what they are, and
-- which tags people have removed.
ALTER TABLE asset_details ADD COLUMN findings TEXT NOT NULL DEFAULT '{}'; -- JSON

-- Requests to the AI endpoint in an hour, counted from 1970.
CREATE TABLE ai_requests (
    hour  INTEGER NOT NULL PRIMARY KEY,
    count INTEGER NOT NULL CHECK (count > 0)
) STRICT;
