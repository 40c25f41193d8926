SELECT * FROM posts WHERE id = :posts.id
