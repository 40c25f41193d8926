CREATE TABLE testresult (
  testid bigint PRIMARY KEY,
  edition int NOT NULL,
  vehicleid bigint NOT NULL,
  tested_at timestamptz NOT NULL,
  type text NOT NULL,
  result text NOT NULL,
  mileage bigint NOT NULL,
  postcode text NOT NULL,
  make text NOT NULL,
  model text NOT NULL,
  colour text NOT NULL,
  fuel text NOT NULL,
  items jsonb NOT NULL
);

CREATE INDEX testresult_vehicle ON testresult (vehicleid, tested_at DESC, testid DESC);
