-- Embeds play copies of videos without metadata, not the originals.
UPDATE shares SET include_metadata = 0, allow_original = 0 WHERE type = 'embed';
