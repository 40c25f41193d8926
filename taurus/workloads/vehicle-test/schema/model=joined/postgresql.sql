CREATE TABLE failure_location (
  locationid bigint PRIMARY KEY,
  side text NOT NULL,
  longitudinal text NOT NULL,
  vertical text NOT NULL
);

CREATE TABLE testitem_group (
  groupid bigint PRIMARY KEY,
  parentid bigint,
  itemname text NOT NULL
);

CREATE TABLE testitem_detail (
  rfrid bigint PRIMARY KEY,
  groupid bigint NOT NULL,
  minor boolean NOT NULL,
  rfrdesc text NOT NULL,
  advisory text NOT NULL
);

CREATE TABLE testresult (
  testid bigint PRIMARY KEY,
  edition int NOT NULL,
  vehicleid bigint NOT NULL,
  tested_at timestamptz NOT NULL,
  type text NOT NULL,
  result text NOT NULL,
  mileage bigint NOT NULL,
  postcode text NOT NULL
);

CREATE INDEX testresult_vehicle ON testresult (vehicleid, tested_at DESC, testid DESC);

CREATE TABLE testitem (
  itemid bigint PRIMARY KEY,
  testid bigint NOT NULL,
  rfrid bigint NOT NULL,
  locationid bigint NOT NULL,
  kind text NOT NULL,
  dangerous boolean NOT NULL
);

CREATE INDEX testitem_test ON testitem (testid);
