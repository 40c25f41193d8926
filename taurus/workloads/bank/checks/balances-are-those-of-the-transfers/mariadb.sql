WITH moved AS (
  SELECT id, sum(amount) AS amount
  FROM (SELECT source AS id, -amount AS amount FROM transfers UNION ALL SELECT target, amount FROM transfers) AS both_sides
  GROUP BY id
)
SELECT a.id, a.balance + a.savings AS has, 1000 + coalesce(m.amount, 0) AS should_have
FROM accounts AS a LEFT JOIN moved AS m ON m.id = a.id
WHERE a.balance + a.savings <> 1000 + coalesce(m.amount, 0)
