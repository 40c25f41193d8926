SELECT n FROM (SELECT count(*) AS n FROM stock) AS c WHERE n <> :loaded_stock
