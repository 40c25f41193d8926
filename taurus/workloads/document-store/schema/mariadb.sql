-- The table of the workload document-store on MariaDB. InnoDB has no hash indexes, and stores the rows in the order of the primary key.
CREATE TABLE data_table (
  id uuid NOT NULL,
  filter1 varchar(128) NOT NULL,
  filter2 varchar(128),
  filter3 bigint,
  filter4 varchar(256),
  filter5 varchar(256),
  document longtext,
  edition int,
  created datetime(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  updated datetime(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  PRIMARY KEY (id, filter1)
) COLLATE utf8mb4_nopad_bin;
CREATE INDEX data_table_filter1 ON data_table (filter1);
CREATE INDEX data_table_filter4 ON data_table (filter4);
CREATE INDEX data_table_filter5 ON data_table (filter5);
CREATE INDEX data_table_id_filter2 ON data_table (id, filter2);
CREATE INDEX data_table_id_filter3 ON data_table (id, filter3);
