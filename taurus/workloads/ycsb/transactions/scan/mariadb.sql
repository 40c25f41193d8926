-- Without "u." the order would be that of the alias, which is a uuid.
SELECT CAST(u._id AS uuid) AS _id, field0, field1, field2, field3, field4, field5, field6, field7, field8, field9
FROM usertable AS u
WHERE u._id >= CAST(CAST(:key AS uuid) AS binary(16))
ORDER BY u._id
LIMIT :length
