INSERT INTO usertable (_id, field0, field1, field2, field3, field4, field5, field6, field7, field8, field9)
VALUES (
  :new_key, :field0, :field1, :field2, :field3, :field4, :field5, :field6, :field7, :field8, :field9
)
