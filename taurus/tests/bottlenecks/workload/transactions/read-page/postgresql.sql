-- The server reads all rows before the page, by the right index.
SELECT id, customer_id, note FROM orders ORDER BY id LIMIT 20 OFFSET :skipped
