-- pgbench's built-in script select-only.
SELECT abalance FROM pgbench_accounts WHERE aid = :aid
