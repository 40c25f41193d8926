UPDATE usertable SET field0 = :field0 WHERE _id = CAST(CAST(:key AS uuid) AS binary(16))
-- variant
UPDATE usertable SET field1 = :field1 WHERE _id = CAST(CAST(:key AS uuid) AS binary(16))
-- variant
UPDATE usertable SET field2 = :field2 WHERE _id = CAST(CAST(:key AS uuid) AS binary(16))
-- variant
UPDATE usertable SET field3 = :field3 WHERE _id = CAST(CAST(:key AS uuid) AS binary(16))
-- variant
UPDATE usertable SET field4 = :field4 WHERE _id = CAST(CAST(:key AS uuid) AS binary(16))
-- variant
UPDATE usertable SET field5 = :field5 WHERE _id = CAST(CAST(:key AS uuid) AS binary(16))
-- variant
UPDATE usertable SET field6 = :field6 WHERE _id = CAST(CAST(:key AS uuid) AS binary(16))
-- variant
UPDATE usertable SET field7 = :field7 WHERE _id = CAST(CAST(:key AS uuid) AS binary(16))
-- variant
UPDATE usertable SET field8 = :field8 WHERE _id = CAST(CAST(:key AS uuid) AS binary(16))
-- variant
UPDATE usertable SET field9 = :field9 WHERE _id = CAST(CAST(:key AS uuid) AS binary(16))
