-- No index can serve tags: MariaDB has none on the elements of JSON. find-by-tag reads rows until it has enough.
CREATE INDEX columns_author ON posts_columns (author);
CREATE INDEX columns_guest ON posts_columns (guest);
CREATE INDEX columns_timestamp ON posts_columns (timestamp DESC);
