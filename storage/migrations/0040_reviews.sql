-- What the guests of shares of the type review say about the assets.
--
-- Who a guest is stands here and nowhere else, as it was typed: whoever erases a person
-- empties name and email, and what was said stays. A visit ends, and with it its row; so
-- there is no reference to it.
CREATE TABLE share_guests (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    share_id   INTEGER NOT NULL REFERENCES shares (id) ON DELETE CASCADE,
    visit_id   INTEGER NOT NULL, -- of share_visits
    name       TEXT NOT NULL,    -- '' if none was given
    email      TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (share_id, visit_id)
) STRICT;
CREATE INDEX share_guests_email ON share_guests (email) WHERE email <> '';

CREATE TABLE share_feedback (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    share_id   INTEGER NOT NULL REFERENCES shares (id) ON DELETE CASCADE,
    guest_id   INTEGER NOT NULL REFERENCES share_guests (id) ON DELETE CASCADE,
    asset_id   INTEGER NOT NULL REFERENCES assets (id) ON DELETE CASCADE,
    picked     INTEGER NOT NULL CHECK (picked IN (0, 1)),
    rating     INTEGER NOT NULL CHECK (rating BETWEEN 0 AND 5), -- 0 for none
    comment    TEXT NOT NULL, -- '' for none
    revision   INTEGER NOT NULL CHECK (revision > 0), -- how often it was changed
    changed_at INTEGER NOT NULL,
    UNIQUE (guest_id, asset_id)
) STRICT;
CREATE INDEX share_feedback_share ON share_feedback (share_id, changed_at);
CREATE INDEX share_feedback_asset ON share_feedback (asset_id);
