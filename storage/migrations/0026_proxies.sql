-- Whether there is a copy of a video or a sound that browsers play.
ALTER TABLE assets ADD COLUMN has_proxy INTEGER NOT NULL DEFAULT 0 CHECK (has_proxy IN (0,1));
