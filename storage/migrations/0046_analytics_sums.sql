-- What people did on a day that has ended, added up: an overview of years reads a row a day. It is
-- made from analytics_days and analytics_queries, and goes when any row of the day changes.
CREATE TABLE analytics_sums (
    day     INTEGER PRIMARY KEY,
    assets  BLOB NOT NULL, -- as storage.tally is written
    shares  BLOB NOT NULL,
    queries BLOB NOT NULL
) STRICT;
CREATE TRIGGER analytics_days_added AFTER INSERT ON analytics_days
    BEGIN DELETE FROM analytics_sums WHERE day = new.day; END;
CREATE TRIGGER analytics_days_changed AFTER UPDATE ON analytics_days
    BEGIN DELETE FROM analytics_sums WHERE day IN (old.day, new.day); END;
CREATE TRIGGER analytics_days_deleted AFTER DELETE ON analytics_days
    BEGIN DELETE FROM analytics_sums WHERE day = old.day; END;
CREATE TRIGGER analytics_queries_added AFTER INSERT ON analytics_queries
    BEGIN DELETE FROM analytics_sums WHERE day = new.day; END;
CREATE TRIGGER analytics_queries_changed AFTER UPDATE ON analytics_queries
    BEGIN DELETE FROM analytics_sums WHERE day IN (old.day, new.day); END;
CREATE TRIGGER analytics_queries_deleted AFTER DELETE ON analytics_queries
    BEGIN DELETE FROM analytics_sums WHERE day = old.day; END;
