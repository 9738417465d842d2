-- What is left to do for assets after a change of definitions that concerns
-- very many: it is done in the background.
CREATE TABLE asset_followups (
    asset_id INTEGER PRIMARY KEY, -- which may be gone by then, hence no reference
    what     INTEGER NOT NULL CHECK (what BETWEEN 1 AND 3) -- 1: tell of it by an event, 2: find it under other words
) STRICT;
