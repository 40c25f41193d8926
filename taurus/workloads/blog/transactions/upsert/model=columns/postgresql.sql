INSERT INTO posts_columns (_id, title, author, guest, co_authors, tags, category, timestamp, summary, content, views, comments, likes, shares)
SELECT :key, d.title, d.author, d.guest, d.co_authors, d.tags, d.category, d.timestamp, d.summary, d.content, d.views, d.comments, d.likes, d.shares
FROM jsonb_populate_record(NULL::posts_columns, :doc) AS d
ON CONFLICT (_id) DO UPDATE SET title = excluded.title, author = excluded.author, guest = excluded.guest, co_authors = excluded.co_authors,
  tags = excluded.tags, category = excluded.category, timestamp = excluded.timestamp, summary = excluded.summary, content = excluded.content,
  views = excluded.views, comments = excluded.comments, likes = excluded.likes, shares = excluded.shares
-- variant
INSERT INTO posts_columns (_id, title, author, guest, co_authors, tags, category, timestamp, summary, content, views, comments, likes, shares)
SELECT :new_key, d.title, d.author, d.guest, d.co_authors, d.tags, d.category, d.timestamp, d.summary, d.content, d.views, d.comments, d.likes, d.shares
FROM jsonb_populate_record(NULL::posts_columns, :doc) AS d
ON CONFLICT (_id) DO UPDATE SET title = excluded.title, author = excluded.author, guest = excluded.guest, co_authors = excluded.co_authors,
  tags = excluded.tags, category = excluded.category, timestamp = excluded.timestamp, summary = excluded.summary, content = excluded.content,
  views = excluded.views, comments = excluded.comments, likes = excluded.likes, shares = excluded.shares
