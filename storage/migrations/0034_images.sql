-- Pictures that are made of assets' in other sizes: those with a name, and the keys that
-- sign the URLs of all.
CREATE TABLE presets (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    name       TEXT NOT NULL UNIQUE,
    transform  TEXT NOT NULL, -- as dam.Transform writes it
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
INSERT INTO presets (name, transform, created_at, updated_at) VALUES
    ('web', 'w=1920,h=1920', 0, 0),
    ('print', 'w=5000,h=5000,q=92', 0, 0),
    ('social-square', 'w=1080,h=1080,fit=cover', 0, 0),
    ('social-wide', 'w=1200,h=630,fit=cover', 0, 0);

CREATE TABLE image_keys (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    secret     BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER -- what it has signed is refused from then on; NULL for the key that signs
) STRICT;
CREATE UNIQUE INDEX image_keys_current ON image_keys (expires_at IS NULL) WHERE expires_at IS NULL;
