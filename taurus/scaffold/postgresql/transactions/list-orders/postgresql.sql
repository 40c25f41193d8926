-- The ten newest orders of one customer; some customers have none.
SELECT id, amount, placed_at
FROM orders
WHERE customer_id = :customer
ORDER BY placed_at DESC
LIMIT 10
