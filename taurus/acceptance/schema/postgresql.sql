CREATE TABLE data_table (
  _id bigint PRIMARY KEY,
  balance bigint NOT NULL,
  mark text NOT NULL
);
