UPDATE posts SET version = :posts.version, title = :posts.title, tags = :posts.tags WHERE id = :posts.id AND version = :posts.before
