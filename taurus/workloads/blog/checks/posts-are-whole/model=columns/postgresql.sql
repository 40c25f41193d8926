SELECT _id FROM posts_columns
WHERE cardinality(tags) NOT BETWEEN 4 AND 6 OR cardinality(co_authors) NOT BETWEEN 1 AND 3 OR length(content) NOT BETWEEN 2000 AND 5000
LIMIT 5
