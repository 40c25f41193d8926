SELECT *, tags AS "doc.tags" FROM posts_columns WHERE tags @> ARRAY[:tag] LIMIT :limit
