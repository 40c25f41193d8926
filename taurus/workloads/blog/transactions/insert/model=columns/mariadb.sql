INSERT INTO posts_columns (
  _id, edition, views, title, author, guest, co_authors, tags, category, timestamp, summary, content,
  comments, likes, shares
) VALUES (
  :posts_columns._id, :posts_columns.edition, :posts_columns.views, :posts_columns.title,
  :posts_columns.author, :posts_columns.guest, :posts_columns.co_authors, :posts_columns.tags,
  :posts_columns.category, :posts_columns.timestamp, :posts_columns.summary, :posts_columns.content,
  :posts_columns.comments, :posts_columns.likes, :posts_columns.shares
)
