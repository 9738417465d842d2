-- What the player of a share of the type embed does, as JSON (dam.Embed); NULL for other types.
ALTER TABLE shares ADD COLUMN embed TEXT;
