SELECT id, customer_id, note FROM orders WHERE id = :order_id
