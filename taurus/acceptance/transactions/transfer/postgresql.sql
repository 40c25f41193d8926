UPDATE data_table SET balance = balance - :amount WHERE _id = :account;
UPDATE data_table SET balance = balance + :amount WHERE _id = :other
