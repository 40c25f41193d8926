UPDATE accounts SET balance = balance + :minus, savings = savings + :amount WHERE id = :account AND balance >= :amount
