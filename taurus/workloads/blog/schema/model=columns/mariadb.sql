-- MariaDB has no arrays, so co_authors and tags are JSON. The text index finds words in any case, as PostgreSQL's does.
CREATE TABLE posts_columns (
  _id bigint PRIMARY KEY,
  edition int NOT NULL,
  views bigint NOT NULL,
  title varchar(100) NOT NULL,
  author varchar(40) NOT NULL,
  guest varchar(40) NOT NULL,
  co_authors json NOT NULL,
  tags json NOT NULL,
  category varchar(40) NOT NULL,
  timestamp datetime(6) NOT NULL,
  summary varchar(400) NOT NULL,
  content text COLLATE utf8mb4_general_nopad_ci NOT NULL,
  comments bigint NOT NULL,
  likes bigint NOT NULL,
  shares bigint NOT NULL
) COLLATE utf8mb4_nopad_bin;
