CREATE TABLE accounts (
  id bigint PRIMARY KEY,
  balance bigint NOT NULL,
  savings bigint NOT NULL
);

CREATE TABLE transfers (
  id bigint PRIMARY KEY,
  source bigint NOT NULL,
  target bigint NOT NULL,
  amount bigint NOT NULL
);
