CREATE TABLE vehicle (
  vehicleid bigint PRIMARY KEY,
  make text NOT NULL,
  model text NOT NULL,
  colour text NOT NULL,
  fuel text NOT NULL,
  capacity int NOT NULL,
  first_used timestamptz NOT NULL
);
