-- Assets that a change of definitions has changed and of which no event tells
-- yet: those of a change of very many assets follow in the background.
CREATE TABLE untold_assets (
    asset_id INTEGER PRIMARY KEY -- which may be gone by then, hence no reference
) STRICT;
