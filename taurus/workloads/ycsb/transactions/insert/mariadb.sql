INSERT INTO usertable (_id, field0, field1, field2, field3, field4, field5, field6, field7, field8, field9)
VALUES (
  CAST(CAST(:new_key AS uuid) AS binary(16)), :field0, :field1, :field2, :field3, :field4, :field5, :field6, :field7, :field8, :field9
)
