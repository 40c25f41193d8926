SELECT count(*) AS accounts, sum(balance + savings) AS total FROM accounts
HAVING count(*) <> :loaded_accounts OR sum(balance + savings) <> 1000 * :loaded_accounts
