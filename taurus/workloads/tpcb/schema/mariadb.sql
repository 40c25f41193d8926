-- The tables of pgbench -i; balances begin at 0.
CREATE TABLE pgbench_branches (
  bid int PRIMARY KEY,
  bbalance int NOT NULL DEFAULT 0,
  filler char(88)
);

CREATE TABLE pgbench_tellers (
  tid int PRIMARY KEY,
  bid int NOT NULL,
  tbalance int NOT NULL DEFAULT 0,
  filler char(84)
);

CREATE TABLE pgbench_accounts (
  aid int PRIMARY KEY,
  bid int NOT NULL,
  abalance int NOT NULL DEFAULT 0,
  filler char(84) DEFAULT ''
);

CREATE TABLE pgbench_history (
  tid int NOT NULL,
  bid int NOT NULL,
  aid int NOT NULL,
  delta int NOT NULL,
  mtime datetime(6) NOT NULL,
  filler char(22)
);
