-- Each transaction that was acknowledged left one row; one whose outcome is unknown may have left one.
SELECT entries
FROM (SELECT count(*) AS entries FROM pgbench_history) AS h
WHERE entries < :done_tpcb_like OR entries > :done_tpcb_like + :unknown_tpcb_like
