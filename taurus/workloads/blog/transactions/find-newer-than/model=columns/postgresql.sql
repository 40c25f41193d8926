SELECT *, to_char(timestamp AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "doc.timestamp"
FROM posts_columns WHERE timestamp > CAST(CAST(:since.at AS text) AS timestamptz) LIMIT :limit
