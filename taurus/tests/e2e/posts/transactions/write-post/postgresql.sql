INSERT INTO posts (id, version, author, title, cents, at, tags, meta)
VALUES (:posts.id, :posts.version, :posts.author, :posts.title, :posts.cents, :posts.at, :posts.tags, :posts.meta)
