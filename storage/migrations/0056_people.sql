-- Who is in a picture, by name: another kind of words.
CREATE TABLE asset_words_new (
    asset_id INTEGER NOT NULL REFERENCES assets (id) ON DELETE CASCADE,
    kind     TEXT NOT NULL CHECK (kind IN ('keyword','person','ai_tag')),
    position INTEGER NOT NULL,
    word     TEXT NOT NULL,
    PRIMARY KEY (asset_id, kind, position)
) STRICT, WITHOUT ROWID;
INSERT INTO asset_words_new SELECT * FROM asset_words;
DROP TABLE asset_words;
ALTER TABLE asset_words_new RENAME TO asset_words;
CREATE INDEX asset_words_word ON asset_words (kind, word, asset_id);
