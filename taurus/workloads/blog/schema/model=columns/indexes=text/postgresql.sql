CREATE INDEX columns_author ON posts_columns (author);
CREATE INDEX columns_guest ON posts_columns (guest);
CREATE INDEX columns_tags ON posts_columns USING gin (tags);
CREATE INDEX columns_timestamp ON posts_columns (timestamp DESC);
CREATE INDEX columns_text ON posts_columns USING gin (to_tsvector('english', content));
