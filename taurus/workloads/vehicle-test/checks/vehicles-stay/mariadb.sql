SELECT n FROM (SELECT count(*) AS n FROM vehicle) AS c WHERE n <> :loaded_vehicle
