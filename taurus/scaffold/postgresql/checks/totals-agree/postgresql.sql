-- Two statements have to give the same answer: what customers have spent is what the orders of the run come to.
-- The first 50000 orders were loaded.
SELECT coalesce(sum(spent), 0) AS total FROM customers;

SELECT coalesce(sum(amount), 0) AS total FROM orders WHERE id > 50000
