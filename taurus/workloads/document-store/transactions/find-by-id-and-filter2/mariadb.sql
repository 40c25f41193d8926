SELECT id, filter1, filter2, filter3, filter4, filter5, document, edition FROM data_table WHERE id = :data_table.id AND filter2 = :data_table.filter2 LIMIT 1
