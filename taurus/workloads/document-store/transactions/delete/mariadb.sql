DELETE FROM data_table WHERE id = :data_table.id AND filter1 = :data_table.filter1
