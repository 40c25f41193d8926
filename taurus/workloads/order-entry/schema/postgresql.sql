CREATE TABLE stock (
  article bigint PRIMARY KEY,
  name text NOT NULL,
  price bigint NOT NULL,
  quantity bigint NOT NULL,
  sold bigint NOT NULL,
  received bigint NOT NULL
) WITH (fillfactor = 80);

CREATE TABLE customers (
  customer bigint PRIMARY KEY,
  name text NOT NULL,
  credit text NOT NULL,
  details text NOT NULL,
  paid bigint NOT NULL,
  payments bigint NOT NULL
) WITH (fillfactor = 80);
