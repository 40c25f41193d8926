-- No row as long as nothing was lost.
SELECT sum(balance + savings) AS total FROM accounts HAVING sum(balance + savings) <> 1000 * count(*)
