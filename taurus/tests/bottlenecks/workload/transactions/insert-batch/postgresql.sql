-- Short for those who write it, and two hundred rows for a standby.
INSERT INTO orders (id, customer_id, note)
SELECT 1000000 + 200 * CAST(:batch AS bigint) + n, n, repeat('x', 100) FROM generate_series(0, 199) AS n
