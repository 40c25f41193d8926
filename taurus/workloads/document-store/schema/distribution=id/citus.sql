-- What makes the table of postgresql.sql a distributed one, in the same transaction. Storage, compression and indexes
-- are set before, because Citus refuses SET STORAGE on a distributed table.
--   distribution 'id': each of the ten transactions names id, so each goes to one shard.
--   distribution 'filter1': insert, update, delete and find-by-id-and-filter1 go to one shard; the six other finds
--   (by filter2, filter2-list, filter3-lte, filter4-list, filter4-and-filter5-list, filter5) go to every shard.
SELECT set_config('citus.shard_replication_factor', :'replication_factor', true);
SELECT create_distributed_table('data_table', :'distribution',
  colocate_with := :'colocate_with', shard_count := :shard_count);
