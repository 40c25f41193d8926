CREATE TABLE data_table (
  _id bigint PRIMARY KEY,
  balance bigint NOT NULL,
  mark text NOT NULL
);

-- Most transfers write to two shards: one two-phase commit each.
SELECT create_distributed_table('data_table', '_id');
