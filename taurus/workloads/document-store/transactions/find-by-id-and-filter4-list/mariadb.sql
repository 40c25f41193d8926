SELECT id, filter1, filter2, filter3, filter4, filter5, document, edition FROM data_table WHERE id = :data_table.id AND filter4 IN (:data_table.filter4, :other_filter4) LIMIT 100 OFFSET 0
