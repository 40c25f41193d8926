-- The table of the workload document-store on one PostgreSQL server.
CREATE TABLE data_table (
  id uuid NOT NULL,
  filter1 varchar(128) NOT NULL,
  filter2 varchar(128),
  filter3 bigint,
  filter4 varchar(256),
  filter5 varchar(256),
  document text,
  edition int,
  created timestamp NOT NULL DEFAULT now(),
  updated timestamp NOT NULL DEFAULT now(),
  PRIMARY KEY (id, filter1)
);
CREATE INDEX data_table_filter1 ON data_table USING hash (filter1);
CREATE INDEX data_table_filter4 ON data_table USING hash (filter4);
CREATE INDEX data_table_filter5 ON data_table USING hash (filter5);
CREATE INDEX data_table_id_filter2 ON data_table (id, filter2);
CREATE INDEX data_table_id_filter3 ON data_table (id, filter3);
