CREATE INDEX posts_author ON posts ((doc->>'author'));
CREATE INDEX posts_guest ON posts ((doc->>'guest'));
CREATE INDEX posts_tags ON posts USING gin ((doc->'tags'));
CREATE INDEX posts_timestamp ON posts ((doc->>'timestamp') DESC);
CREATE INDEX posts_text ON posts USING gin (to_tsvector('english', doc->>'content'));
