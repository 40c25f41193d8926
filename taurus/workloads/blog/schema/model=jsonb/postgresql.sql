CREATE TABLE posts (_id bigint PRIMARY KEY, doc jsonb NOT NULL);
