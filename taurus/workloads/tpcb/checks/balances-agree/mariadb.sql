-- The four sums of TPC-B have to be equal; it returns them if they are not.
SELECT accounts, tellers, branches, history
FROM (SELECT coalesce(sum(abalance), 0) AS accounts FROM pgbench_accounts) AS a,
  (SELECT coalesce(sum(tbalance), 0) AS tellers FROM pgbench_tellers) AS t,
  (SELECT coalesce(sum(bbalance), 0) AS branches FROM pgbench_branches) AS b,
  (SELECT coalesce(sum(delta), 0) AS history FROM pgbench_history) AS h
WHERE accounts <> tellers OR accounts <> branches OR accounts <> history
