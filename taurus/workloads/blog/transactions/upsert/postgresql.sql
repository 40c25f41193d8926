INSERT INTO posts (_id, doc) VALUES (:key, :doc) ON CONFLICT (_id) DO UPDATE SET doc = excluded.doc
-- variant
INSERT INTO posts (_id, doc) VALUES (:new_key, :doc) ON CONFLICT (_id) DO UPDATE SET doc = excluded.doc
