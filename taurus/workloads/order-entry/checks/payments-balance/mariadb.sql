SELECT n
FROM (SELECT coalesce(sum(payments), 0) AS n FROM customers) AS c
WHERE n < :done_payment OR n > :done_payment + :unknown_payment
