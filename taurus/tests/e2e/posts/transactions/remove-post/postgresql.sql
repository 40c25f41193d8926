DELETE FROM posts WHERE id = :posts.id AND version = :posts.before
