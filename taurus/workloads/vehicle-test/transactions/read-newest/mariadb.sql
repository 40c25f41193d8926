SELECT t.testid, t.vehicleid, t.tested_at, t.type, t.result, t.mileage, t.postcode, v.make, v.model, v.colour, v.fuel,
  i.itemid, i.rfrid, i.kind, i.dangerous, l.side, l.longitudinal, l.vertical, d.minor, d.rfrdesc, d.advisory,
  g.itemname AS level1, h.itemname AS level2, j.itemname AS level3
FROM (
  SELECT * FROM testresult WHERE vehicleid = :vehicle ORDER BY tested_at DESC, testid DESC LIMIT 1
) AS t
JOIN vehicle v ON v.vehicleid = t.vehicleid
LEFT JOIN testitem i ON i.testid = t.testid
LEFT JOIN failure_location l ON l.locationid = i.locationid
LEFT JOIN testitem_detail d ON d.rfrid = i.rfrid
LEFT JOIN testitem_group g ON g.groupid = d.groupid
LEFT JOIN testitem_group h ON h.groupid = g.parentid
LEFT JOIN testitem_group j ON j.groupid = h.parentid
ORDER BY i.itemid
