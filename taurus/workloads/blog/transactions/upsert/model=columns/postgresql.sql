INSERT INTO posts_columns (
  _id, edition, views, title, author, guest, co_authors, tags, category, timestamp, summary, content,
  comments, likes, shares
) VALUES (
  :posts_columns._id, :posts_columns.edition, :posts_columns.views, :posts_columns.title,
  :posts_columns.author, :posts_columns.guest, :posts_columns.co_authors, :posts_columns.tags,
  :posts_columns.category, :posts_columns.timestamp, :posts_columns.summary, :posts_columns.content,
  :posts_columns.comments, :posts_columns.likes, :posts_columns.shares
)
ON CONFLICT (_id) DO UPDATE SET
  edition = excluded.edition, views = excluded.views, title = excluded.title, author = excluded.author,
  guest = excluded.guest, co_authors = excluded.co_authors, tags = excluded.tags,
  category = excluded.category, timestamp = excluded.timestamp, summary = excluded.summary,
  content = excluded.content, comments = excluded.comments, likes = excluded.likes, shares = excluded.shares
