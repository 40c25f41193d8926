INSERT INTO transfers (id, source, target, amount)
VALUES (:transfers.id, :transfers.source, :transfers.target, :transfers.amount);

-- A source without enough money refuses the transfer.
UPDATE accounts SET balance = balance + :debit WHERE id = :transfers.source AND balance >= :transfers.amount;

UPDATE accounts SET balance = balance + :transfers.amount WHERE id = :transfers.target
