-- Rows with a field of another length than each statement writes; it must return none.
SELECT CAST(_id AS uuid) AS _id
FROM usertable
WHERE char_length(field0) <> 100
   OR char_length(field1) <> 100
   OR char_length(field2) <> 100
   OR char_length(field3) <> 100
   OR char_length(field4) <> 100
   OR char_length(field5) <> 100
   OR char_length(field6) <> 100
   OR char_length(field7) <> 100
   OR char_length(field8) <> 100
   OR char_length(field9) <> 100
