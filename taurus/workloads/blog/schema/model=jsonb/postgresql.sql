CREATE TABLE posts (_id bigint PRIMARY KEY, edition int NOT NULL, views bigint NOT NULL, doc jsonb NOT NULL);
