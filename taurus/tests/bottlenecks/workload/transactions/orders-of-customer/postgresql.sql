SELECT id, customer_id, note FROM orders WHERE customer_id = :customer
