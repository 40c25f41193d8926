SELECT _id, doc, doc->>'author' AS "doc.author" FROM posts WHERE doc->>'author' = :author LIMIT :limit
