-- No row if no article is low, as a group of no documents.
SELECT count(DISTINCT s.article) AS low
FROM (SELECT id FROM orders ORDER BY id DESC LIMIT 20) AS o
JOIN order_lines l ON l.order_id = o.id
JOIN stock s ON s.article = l.article AND s.quantity < :threshold
HAVING count(*) > 0
