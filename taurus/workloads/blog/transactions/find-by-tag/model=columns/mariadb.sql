SELECT *, tags AS `doc.tags` FROM posts_columns WHERE json_contains(tags, json_quote(:tag)) LIMIT :limit
