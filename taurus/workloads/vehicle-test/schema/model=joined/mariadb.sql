CREATE TABLE failure_location (
  locationid bigint PRIMARY KEY,
  side varchar(40) NOT NULL,
  longitudinal varchar(40) NOT NULL,
  vertical varchar(40) NOT NULL
) COLLATE utf8mb4_nopad_bin;

CREATE TABLE testitem_group (
  groupid bigint PRIMARY KEY,
  parentid bigint,
  itemname varchar(100) NOT NULL
) COLLATE utf8mb4_nopad_bin;

CREATE TABLE testitem_detail (
  rfrid bigint PRIMARY KEY,
  groupid bigint NOT NULL,
  minor boolean NOT NULL,
  rfrdesc varchar(400) NOT NULL,
  advisory varchar(200) NOT NULL
) COLLATE utf8mb4_nopad_bin;

CREATE TABLE testresult (
  testid bigint PRIMARY KEY,
  edition int NOT NULL,
  vehicleid bigint NOT NULL,
  tested_at datetime(6) NOT NULL,
  type varchar(40) NOT NULL,
  result varchar(40) NOT NULL,
  mileage bigint NOT NULL,
  postcode varchar(40) NOT NULL
) COLLATE utf8mb4_nopad_bin;

CREATE INDEX testresult_vehicle ON testresult (vehicleid, tested_at DESC, testid DESC);

CREATE TABLE testitem (
  itemid bigint PRIMARY KEY,
  testid bigint NOT NULL,
  rfrid bigint NOT NULL,
  locationid bigint NOT NULL,
  kind varchar(40) NOT NULL,
  dangerous boolean NOT NULL
) COLLATE utf8mb4_nopad_bin;

CREATE INDEX testitem_test ON testitem (testid);
