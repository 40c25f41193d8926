UPDATE testresult SET mileage = :testresult.mileage, edition = :testresult.edition
WHERE testid = :testresult.testid AND edition = :testresult.before
