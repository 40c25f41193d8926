SELECT _id, doc FROM posts WHERE to_tsvector('english', doc->>'content') @@ plainto_tsquery('english', :tag) LIMIT :limit
