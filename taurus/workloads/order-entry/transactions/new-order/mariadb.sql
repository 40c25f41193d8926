SELECT name, credit FROM customers WHERE customer = :orders.customer;

INSERT INTO orders (id, customer, entered, carrier) VALUES (:orders.id, :orders.customer, :orders.entered, :orders.carrier);

UPDATE stock SET quantity = quantity - :order_lines.quantity, sold = sold + :order_lines.quantity
WHERE article = :order_lines.article AND quantity >= :order_lines.quantity;

INSERT INTO order_lines (id, order_id, line, article, quantity, price)
VALUES (:order_lines.id, :orders.id, :order_lines.line, :order_lines.article, :order_lines.quantity, :order_lines.price)
