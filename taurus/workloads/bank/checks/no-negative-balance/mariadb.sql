SELECT id, balance FROM accounts WHERE balance < 0
