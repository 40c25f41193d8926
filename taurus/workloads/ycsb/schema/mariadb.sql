-- The key is binary(16), not uuid: MariaDB sorts uuid by its last part first, so scans would return other rows than elsewhere.
CREATE TABLE usertable (
  _id binary(16) PRIMARY KEY,
  field0 varchar(100) NOT NULL,
  field1 varchar(100) NOT NULL,
  field2 varchar(100) NOT NULL,
  field3 varchar(100) NOT NULL,
  field4 varchar(100) NOT NULL,
  field5 varchar(100) NOT NULL,
  field6 varchar(100) NOT NULL,
  field7 varchar(100) NOT NULL,
  field8 varchar(100) NOT NULL,
  field9 varchar(100) NOT NULL
) COLLATE utf8mb4_nopad_bin;
