-- Rows with a field of another length than each statement writes; it must return none.
SELECT _id
FROM usertable
WHERE length(field0) <> 100
   OR length(field1) <> 100
   OR length(field2) <> 100
   OR length(field3) <> 100
   OR length(field4) <> 100
   OR length(field5) <> 100
   OR length(field6) <> 100
   OR length(field7) <> 100
   OR length(field8) <> 100
   OR length(field9) <> 100
