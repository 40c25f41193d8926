SELECT id, version, title FROM posts WHERE author = :posts.author LIMIT 20
