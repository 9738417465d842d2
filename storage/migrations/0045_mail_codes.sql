-- A code that a guest is mailed, to prove that an address is theirs: one for each browser. The
-- code itself is made when the mail is sent, and is nowhere but in the mail.
CREATE TABLE share_codes (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    visit_id   INTEGER NOT NULL UNIQUE REFERENCES share_visits (id) ON DELETE CASCADE,
    email      TEXT NOT NULL,
    ip         TEXT NOT NULL, -- of who asked for it
    language   TEXT NOT NULL,
    hash       BLOB CHECK (length(hash) = 32), -- NULL until it is sent
    tries      INTEGER NOT NULL DEFAULT 0,
    failed     INTEGER NOT NULL DEFAULT 0 CHECK (failed IN (0, 1)), -- the last attempt to send it did
    expires_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

-- Whether whoever gave an address has proved that it is theirs.
ALTER TABLE share_visits ADD COLUMN email_verified INTEGER NOT NULL DEFAULT 0 CHECK (email_verified IN (0, 1));
ALTER TABLE share_access ADD COLUMN email_verified INTEGER NOT NULL DEFAULT 0 CHECK (email_verified IN (0, 1));
ALTER TABLE consents ADD COLUMN email_verified INTEGER NOT NULL DEFAULT 0 CHECK (email_verified IN (0, 1));
CREATE TRIGGER consents_email_verified_stays BEFORE UPDATE OF email_verified ON consents
    BEGIN SELECT raise(ABORT, 'a consent never changes'); END;

-- The picture that stands for the library on its pages, as a PNG that dal has made.
CREATE TABLE site_logo (
    id         INTEGER PRIMARY KEY CHECK (id = 1),
    png        BLOB NOT NULL,
    sha256     TEXT NOT NULL, -- of png
    width      INTEGER NOT NULL,
    height     INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;

-- Whether other sites may show a card of the page of a share: its name and a picture.
ALTER TABLE shares ADD COLUMN preview_card INTEGER NOT NULL DEFAULT 0 CHECK (preview_card IN (0, 1));
