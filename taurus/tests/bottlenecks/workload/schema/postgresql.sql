CREATE TABLE orders (
  id bigint PRIMARY KEY,
  customer_id bigint NOT NULL,
  note text NOT NULL
);

CREATE TABLE counters (
  id bigint PRIMARY KEY,
  hits bigint NOT NULL
);
