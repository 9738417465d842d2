-- How often the library was used, by day: nothing of who did it. A day is the number of days
-- since 1970 in UTC. bots is 1 for what programs did of which nobody knows a person.

-- All that was counted on a day.
CREATE TABLE analytics_totals (
    day            INTEGER NOT NULL,
    channel        TEXT NOT NULL, -- of dam.Channel
    bots           INTEGER NOT NULL CHECK (bots IN (0, 1)),
    views          INTEGER NOT NULL,
    visits         INTEGER NOT NULL,
    plays          INTEGER NOT NULL,
    downloads      INTEGER NOT NULL,
    shares         INTEGER NOT NULL,
    searches       INTEGER NOT NULL,
    empty_searches INTEGER NOT NULL, -- of searches
    PRIMARY KEY (day, channel, bots)
) STRICT, WITHOUT ROWID;

-- What of it is about an asset or a share. Neither refers to a row: it outlives them.
CREATE TABLE analytics_days (
    day       INTEGER NOT NULL,
    bots      INTEGER NOT NULL CHECK (bots IN (0, 1)),
    gaid      TEXT NOT NULL,    -- '' for a share as a whole
    share_id  INTEGER NOT NULL, -- 0 for none
    channel   TEXT NOT NULL,
    views     INTEGER NOT NULL,
    visits    INTEGER NOT NULL,
    plays     INTEGER NOT NULL,
    downloads INTEGER NOT NULL,
    archived  INTEGER NOT NULL, -- how often it was in an archive that is one of the downloads
    PRIMARY KEY (day, bots, gaid, share_id, channel)
) STRICT, WITHOUT ROWID;
CREATE INDEX analytics_days_asset ON analytics_days (gaid, day) WHERE gaid <> '';
CREATE INDEX analytics_days_share ON analytics_days (share_id, day) WHERE share_id <> 0;

-- What people searched for: up to dam.MaxDayQueries texts of a day.
CREATE TABLE analytics_queries (
    id             INTEGER PRIMARY KEY,
    day            INTEGER NOT NULL,
    text           TEXT NOT NULL,
    searches       INTEGER NOT NULL,
    empty_searches INTEGER NOT NULL,
    UNIQUE (day, text)
) STRICT;

-- What the assets take, by category.
CREATE INDEX assets_storage ON assets (file_category, file_size) WHERE deleted_at IS NULL;
