-- What guests without an account are shown, and what they did there.
--
-- The token of a share is kept as it is, because its owner has to be able to read the URL
-- again; a guest's is compared by its hash, so that how long that takes says nothing
-- about the tokens there are.
CREATE TABLE shares (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,
    token            TEXT NOT NULL,
    token_hash       BLOB NOT NULL UNIQUE CHECK (length(token_hash) = 32),
    type             TEXT NOT NULL, -- of dam.ShareType, which checks it: there will be more
    name             TEXT NOT NULL,
    collection_id    INTEGER REFERENCES collections (id) ON DELETE SET NULL,
    include_metadata INTEGER NOT NULL CHECK (include_metadata IN (0, 1)),
    allow_download   INTEGER NOT NULL CHECK (allow_download IN (0, 1)),
    allow_original   INTEGER NOT NULL CHECK (allow_original IN (0, 1)),
    watermark        TEXT, -- JSON; NULL for none
    max_resolution   INTEGER NOT NULL CHECK (max_resolution >= 0), -- 0 for none
    password_hash    TEXT NOT NULL, -- '' for none
    password_version INTEGER NOT NULL,
    access           TEXT NOT NULL, -- JSON
    max_views        INTEGER, -- NULL for any number
    max_downloads    INTEGER,
    terms_text       TEXT NOT NULL,
    terms_version    INTEGER NOT NULL,
    view_count       INTEGER NOT NULL DEFAULT 0,
    download_count   INTEGER NOT NULL DEFAULT 0,
    last_accessed_at INTEGER,
    expires_at       INTEGER,
    revoked_at       INTEGER,
    created_by       INTEGER NOT NULL REFERENCES users (id),
    created_at       INTEGER NOT NULL
) STRICT;
CREATE INDEX shares_user ON shares (created_by, id);
CREATE INDEX shares_collection ON shares (collection_id) WHERE collection_id IS NOT NULL;

CREATE TABLE share_assets (
    share_id INTEGER NOT NULL REFERENCES shares (id) ON DELETE CASCADE,
    asset_id INTEGER NOT NULL REFERENCES assets (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    PRIMARY KEY (share_id, asset_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX share_assets_asset ON share_assets (asset_id);

-- What a browser has passed: the hash of its cookie stands for it.
CREATE TABLE share_visits (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,
    share_id         INTEGER NOT NULL REFERENCES shares (id) ON DELETE CASCADE,
    hash             BLOB NOT NULL CHECK (length(hash) = 32),
    password_version INTEGER NOT NULL DEFAULT 0, -- of the password that was given
    terms_version    INTEGER NOT NULL DEFAULT 0, -- of the terms that were accepted
    email            TEXT NOT NULL DEFAULT '',
    counted          INTEGER NOT NULL DEFAULT 0 CHECK (counted IN (0, 1)), -- among the views
    expires_at       INTEGER NOT NULL,
    UNIQUE (share_id, hash)
) STRICT;
CREATE INDEX share_visits_end ON share_visits (expires_at);

CREATE TABLE share_access (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    share_id   INTEGER NOT NULL REFERENCES shares (id) ON DELETE CASCADE,
    action     TEXT NOT NULL, -- of dam.ShareAction
    gaid       TEXT NOT NULL DEFAULT '', -- no reference: what happened outlives the asset
    email      TEXT NOT NULL DEFAULT '',
    ip         TEXT NOT NULL,
    user_agent TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX share_access_share ON share_access (share_id, id);
CREATE INDEX share_access_time ON share_access (created_at);

-- Who has accepted which terms. Nothing changes what was accepted, and when.
CREATE TABLE consents (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    subject_name    TEXT NOT NULL,
    subject_email   TEXT NOT NULL,
    terms_version   INTEGER NOT NULL,
    terms_text_hash TEXT NOT NULL, -- SHA-256, hex
    context         TEXT NOT NULL, -- of dam.ConsentContext
    share_id        INTEGER REFERENCES shares (id),
    ip              TEXT NOT NULL,
    user_agent      TEXT NOT NULL,
    accepted_at     INTEGER NOT NULL
) STRICT;
CREATE INDEX consents_share ON consents (share_id, id) WHERE share_id IS NOT NULL;
CREATE TRIGGER consents_stay BEFORE UPDATE OF terms_version, terms_text_hash, context, share_id, accepted_at ON consents
    BEGIN SELECT raise(ABORT, 'a consent never changes'); END;
