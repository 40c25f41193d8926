SELECT * FROM posts_columns WHERE to_tsvector('english', content) @@ plainto_tsquery('english', :tag) LIMIT :limit
