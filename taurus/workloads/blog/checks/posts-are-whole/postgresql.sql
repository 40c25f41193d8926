SELECT _id FROM posts
WHERE jsonb_array_length(doc->'tags') NOT BETWEEN 4 AND 6 OR jsonb_array_length(doc->'co_authors') NOT BETWEEN 1 AND 3
  OR length(doc->>'content') NOT BETWEEN 2000 AND 5000
LIMIT 5
