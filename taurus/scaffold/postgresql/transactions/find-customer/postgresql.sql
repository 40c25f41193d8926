SELECT id, name, city, spent FROM customers WHERE id = :customer
