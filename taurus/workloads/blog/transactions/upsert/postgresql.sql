INSERT INTO posts (_id, edition, views, doc) VALUES (:posts._id, :posts.edition, :posts.views, :posts.doc)
ON CONFLICT (_id) DO UPDATE SET edition = excluded.edition, views = excluded.views, doc = excluded.doc
