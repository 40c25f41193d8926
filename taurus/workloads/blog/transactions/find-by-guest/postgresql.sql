SELECT _id, doc FROM posts WHERE doc->>'guest' = :guest LIMIT :limit
