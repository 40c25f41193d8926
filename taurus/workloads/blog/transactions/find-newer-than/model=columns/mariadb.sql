SELECT *, concat(left(date_format(timestamp, '%Y-%m-%dT%H:%i:%s.%f'), 23), 'Z') AS `doc.timestamp`
FROM posts_columns WHERE timestamp > str_to_date(:since.at, '%Y-%m-%dT%H:%i:%s.%fZ') LIMIT :limit
