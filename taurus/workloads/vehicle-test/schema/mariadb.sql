CREATE TABLE vehicle (
  vehicleid bigint PRIMARY KEY,
  make varchar(40) NOT NULL,
  model varchar(40) NOT NULL,
  colour varchar(40) NOT NULL,
  fuel varchar(40) NOT NULL,
  capacity int NOT NULL,
  first_used datetime(6) NOT NULL
) COLLATE utf8mb4_nopad_bin;
