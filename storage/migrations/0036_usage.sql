-- The dates on which the usage of assets begins and ends, and up to which of them asset.updated
-- has told so: that of an asset, at a time. Dates of before this table are not told of.
CREATE INDEX assets_usage_from ON assets (usage_from, id) WHERE usage_from IS NOT NULL;
CREATE INDEX assets_usage_until ON assets (usage_until, id) WHERE usage_until IS NOT NULL;
CREATE TABLE usage_told (
    id       INTEGER PRIMARY KEY CHECK (id = 1),
    at       INTEGER NOT NULL,
    asset_id INTEGER NOT NULL
) STRICT;
