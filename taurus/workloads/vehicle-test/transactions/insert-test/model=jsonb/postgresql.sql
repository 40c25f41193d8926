INSERT INTO testresult (testid, edition, vehicleid, tested_at, type, result, mileage, postcode, make, model, colour, fuel, items)
VALUES (:testresult.testid, :testresult.edition, :testresult.vehicleid, :testresult.tested_at, :testresult.type, :testresult.result,
  :testresult.mileage, :testresult.postcode, :testresult.make, :testresult.model, :testresult.colour, :testresult.fuel, :testresult.items)
