CREATE TABLE stock (
  article bigint PRIMARY KEY,
  name varchar(40) NOT NULL,
  price bigint NOT NULL,
  quantity bigint NOT NULL,
  sold bigint NOT NULL,
  received bigint NOT NULL
) COLLATE utf8mb4_nopad_bin;

CREATE TABLE customers (
  customer bigint PRIMARY KEY,
  name varchar(40) NOT NULL,
  credit varchar(10) NOT NULL,
  details varchar(1000) NOT NULL,
  paid bigint NOT NULL,
  payments bigint NOT NULL
) COLLATE utf8mb4_nopad_bin;
