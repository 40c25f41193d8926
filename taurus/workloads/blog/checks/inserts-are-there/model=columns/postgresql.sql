-- Deletes hit loaded posts only.
SELECT n FROM (SELECT count(*) AS n FROM posts_columns WHERE _id > :loaded_posts_columns) AS p
WHERE n < :done_insert OR n > :done_insert + :unknown_insert + :done_upsert + :unknown_upsert
