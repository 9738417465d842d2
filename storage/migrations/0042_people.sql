-- What people accept, and what is left when somebody is erased.

-- Every text that a consent names by its hash, as it was accepted.
CREATE TABLE terms_texts (
    hash TEXT PRIMARY KEY CHECK (length(hash) = 64), -- SHA-256 of the text, in hexadecimal digits
    text TEXT NOT NULL
) STRICT;
CREATE TRIGGER terms_texts_stay BEFORE UPDATE ON terms_texts
    BEGIN SELECT raise(ABORT, 'a text of terms never changes'); END;
CREATE TRIGGER terms_texts_kept BEFORE DELETE ON terms_texts
    BEGIN SELECT raise(ABORT, 'a text of terms is kept'); END;

-- The terms of use of the library itself, all versions.
CREATE TABLE use_terms (
    version  INTEGER PRIMARY KEY AUTOINCREMENT,
    hash     TEXT NOT NULL REFERENCES terms_texts (hash),
    set_at   INTEGER NOT NULL,
    ended_at INTEGER -- NULL for those in force
) STRICT;
CREATE UNIQUE INDEX use_terms_in_force ON use_terms ((ended_at IS NULL)) WHERE ended_at IS NULL;

ALTER TABLE consents ADD COLUMN user_id INTEGER REFERENCES users (id); -- NULL in the context of a share
ALTER TABLE consents ADD COLUMN erased_at INTEGER; -- when the person was taken out of it
CREATE UNIQUE INDEX consents_user ON consents (user_id, terms_version) WHERE user_id IS NOT NULL;

-- All that can change of a consent is that the person is taken out of it, once.
DROP TRIGGER consents_stay;
CREATE TRIGGER consents_stay BEFORE UPDATE ON consents
    WHEN old.erased_at IS NOT NULL OR new.erased_at IS NULL
        OR new.subject_name <> 'Erased person' OR new.subject_email <> '' OR new.ip <> '' OR new.user_agent <> ''
        OR new.id IS NOT old.id OR new.terms_version IS NOT old.terms_version OR new.terms_text_hash IS NOT old.terms_text_hash
        OR new.context IS NOT old.context OR new.share_id IS NOT old.share_id OR new.user_id IS NOT old.user_id
        OR new.accepted_at IS NOT old.accepted_at
    BEGIN SELECT raise(ABORT, 'a consent never changes'); END;
CREATE TRIGGER consents_kept BEFORE DELETE ON consents
    BEGIN SELECT raise(ABORT, 'a consent is kept'); END;
