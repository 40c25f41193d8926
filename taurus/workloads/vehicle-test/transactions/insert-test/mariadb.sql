-- Two statements, one database transaction; the second one for each defect.
INSERT INTO testresult (testid, edition, vehicleid, tested_at, type, result, mileage, postcode)
VALUES (:testresult.testid, :testresult.edition, :testresult.vehicleid, :testresult.tested_at, :testresult.type, :testresult.result,
  :testresult.mileage, :testresult.postcode);

INSERT INTO testitem (itemid, testid, rfrid, locationid, kind, dangerous)
VALUES (:testitem.itemid, :testresult.testid, :testitem.rfrid, :testitem.locationid, :testitem.kind, :testitem.dangerous)
