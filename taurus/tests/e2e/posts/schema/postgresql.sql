CREATE TABLE authors (id bigint PRIMARY KEY, name text NOT NULL);
CREATE TABLE posts (
  id bigint PRIMARY KEY,
  version int NOT NULL,
  author bigint NOT NULL REFERENCES authors,
  title text NOT NULL,
  cents bigint,
  at timestamptz NOT NULL,
  tags text[] NOT NULL,
  meta jsonb NOT NULL
);
CREATE INDEX ON posts (author);
