-- Which library these records are of, and how far they are: the number counts
-- up whenever the mark beside the blobs is about to be brought up to it.
CREATE TABLE library (
    one    INTEGER PRIMARY KEY CHECK (one = 1),
    id     TEXT NOT NULL CHECK (length(id) = 36), -- a random UUID
    change INTEGER NOT NULL DEFAULT 0 CHECK (change >= 0)
) STRICT;
INSERT INTO library (one, id) VALUES (1, lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) ||
    '-' || substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))));
