SELECT testid, vehicleid, tested_at, type, result, mileage, postcode, make, model, colour, fuel, items
FROM testresult
WHERE vehicleid = :vehicle
ORDER BY tested_at DESC, testid DESC
LIMIT 1
