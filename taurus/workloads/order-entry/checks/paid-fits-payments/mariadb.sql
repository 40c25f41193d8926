-- The bounds are those of the parameter amount.
SELECT customer, paid, payments FROM customers WHERE paid < 100 * payments OR paid > 500000 * payments
