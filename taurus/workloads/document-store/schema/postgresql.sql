-- The table of the workload document-store on PostgreSQL. The words after colons are variables, filled in from the
-- section `schema` of the target file; psql takes the same file:
--   psql -v storage=EXTENDED -v compression=DEFAULT -v index=hash -f postgresql.sql
CREATE TABLE IF NOT EXISTS data_table (
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
-- EXTENDED: compressed, then moved out of the row. EXTERNAL: moved out as it is. PLAIN: neither; the row fits its page.
ALTER TABLE data_table ALTER document SET STORAGE :storage;
ALTER TABLE data_table ALTER document SET COMPRESSION :compression;
CREATE INDEX IF NOT EXISTS data_table_filter1 ON data_table USING :index (filter1);
CREATE INDEX IF NOT EXISTS data_table_filter4 ON data_table USING :index (filter4);
CREATE INDEX IF NOT EXISTS data_table_filter5 ON data_table USING :index (filter5);
CREATE INDEX IF NOT EXISTS data_table_id_filter2 ON data_table (id, filter2);
CREATE INDEX IF NOT EXISTS data_table_id_filter3 ON data_table (id, filter3);
