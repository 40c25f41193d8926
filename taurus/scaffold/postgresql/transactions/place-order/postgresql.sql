-- Two statements, one transaction: both take effect, or neither.
UPDATE customers SET spent = spent + :amount WHERE id = :customer;

INSERT INTO orders (id, customer_id, amount, placed_at)
VALUES (:order_id, :customer, :amount, :now)
