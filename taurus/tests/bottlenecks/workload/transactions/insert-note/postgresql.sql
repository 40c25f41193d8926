INSERT INTO orders (id, customer_id, note) VALUES (:new_order, :customer, :long_note)
