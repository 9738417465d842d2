-- Which of the browsers that are known did what the access log of a share says: what one plays
-- again counts once for a while.
ALTER TABLE share_access ADD COLUMN visit_id INTEGER; -- no reference: a visit ends sooner; NULL for none
CREATE INDEX share_access_plays ON share_access (share_id, gaid, created_at) WHERE action = 'play';
