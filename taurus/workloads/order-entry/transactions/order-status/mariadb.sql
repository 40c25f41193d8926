SELECT o.id, o.customer, o.entered, o.carrier, c.name, c.paid, l.line, l.article, l.quantity, l.price
FROM (SELECT * FROM orders WHERE customer = :customer ORDER BY id DESC LIMIT 1) AS o
JOIN customers c ON c.customer = o.customer
JOIN order_lines l ON l.order_id = o.id
ORDER BY l.line
