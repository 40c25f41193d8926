CREATE TABLE orders (
  id bigint PRIMARY KEY,
  customer bigint NOT NULL,
  entered datetime(6) NOT NULL,
  carrier int
);

CREATE INDEX orders_customer ON orders (customer, id DESC);

CREATE TABLE order_lines (
  id bigint PRIMARY KEY,
  order_id bigint NOT NULL,
  line int NOT NULL,
  article bigint NOT NULL,
  quantity int NOT NULL,
  price bigint NOT NULL
);

CREATE INDEX order_lines_order ON order_lines (order_id, line);
