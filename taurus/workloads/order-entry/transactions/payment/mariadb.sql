UPDATE customers SET paid = paid + :amount, payments = payments + 1 WHERE customer = :customer
