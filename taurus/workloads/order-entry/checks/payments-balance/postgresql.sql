SELECT n
FROM (SELECT sum(payments) AS n FROM customers) AS c
WHERE n < :done_payment OR n > :done_payment + :unknown_payment
