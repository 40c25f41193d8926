-- 200 accounts with 100 each at the beginning; a transfer changes no sum. It returns the sums if they are wrong.
SELECT sum(balance) AS money, count(*) AS accounts
FROM data_table
HAVING count(*) <> 200 OR sum(balance) <> 20000
