-- One statement must return no row. The 50000 loaded orders exist, and each order that was acknowledged since; a call
-- with an unknown outcome, such as a timeout, may have added one or not.
SELECT n
FROM (SELECT count(*) AS n FROM orders) AS o
WHERE n < 50000 + :done_place_order OR n > 50000 + :done_place_order + :unknown_place_order
