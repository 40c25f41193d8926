-- Two statements must give the same answer: the customers' spending equals the sum of the run's orders.
-- The first 50000 orders were loaded.
SELECT coalesce(sum(spent), 0) AS total FROM customers;

SELECT coalesce(sum(amount), 0) AS total FROM orders WHERE id > 50000
