-- One row by its key, and four thousand hashes of it: nothing but processor time.
SELECT id, customer_id, (SELECT max(md5(note || n)) FROM generate_series(1, 4000) AS n) AS note
FROM orders WHERE id = :order_id
