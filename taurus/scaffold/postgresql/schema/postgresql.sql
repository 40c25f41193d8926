-- Makes the tables. shardload drops and makes them with --recreate, so name no table that holds anything else.
CREATE TABLE customers (
  id bigint PRIMARY KEY,
  name text NOT NULL,
  city text NOT NULL,
  spent numeric(12, 2) NOT NULL DEFAULT 0
);

CREATE TABLE orders (
  id bigint PRIMARY KEY,
  customer_id bigint NOT NULL,
  amount numeric(12, 2) NOT NULL,
  placed_at timestamptz NOT NULL
);

CREATE INDEX orders_customer_placed ON orders (customer_id, placed_at);
