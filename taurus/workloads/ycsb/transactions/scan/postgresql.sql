SELECT _id, field0, field1, field2, field3, field4, field5, field6, field7, field8, field9
FROM usertable
WHERE _id >= :key
ORDER BY _id
LIMIT :length
