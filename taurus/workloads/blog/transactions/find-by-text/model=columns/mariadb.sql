SELECT * FROM posts_columns WHERE MATCH (content) AGAINST (:tag IN BOOLEAN MODE) LIMIT :limit
