SELECT n FROM (SELECT count(*) AS n FROM customers) AS c WHERE n <> :loaded_customers
