-- Loaded orders were not taken from the stock.
SELECT s.article, s.sold, l.sold AS ordered
FROM stock s
LEFT JOIN (SELECT article, sum(quantity) AS sold FROM order_lines WHERE order_id > :loaded_orders GROUP BY article) AS l
  ON l.article = s.article
WHERE s.sold <> coalesce(l.sold, 0)
