SELECT id, filter1, filter2, filter3, filter4, filter5, document, edition FROM data_table WHERE id = :data_table.id AND filter3 <= :data_table.filter3 LIMIT 100 OFFSET 0
