CREATE TABLE posts_columns (
  _id bigint PRIMARY KEY,
  edition int NOT NULL,
  views bigint NOT NULL,
  title text NOT NULL,
  author text NOT NULL,
  guest text NOT NULL,
  co_authors text[] NOT NULL,
  tags text[] NOT NULL,
  category text NOT NULL,
  timestamp timestamptz NOT NULL,
  summary text NOT NULL,
  content text NOT NULL,
  comments bigint NOT NULL,
  likes bigint NOT NULL,
  shares bigint NOT NULL
);
