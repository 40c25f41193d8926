SELECT CAST(u._id AS uuid) AS _id, field0, field1, field2, field3, field4, field5, field6, field7, field8, field9
FROM usertable AS u
WHERE u._id = CAST(CAST(:latest_key AS uuid) AS binary(16))
