SELECT _id, doc, doc->>'timestamp' AS "doc.timestamp" FROM posts WHERE doc->>'timestamp' > :since.at LIMIT :limit
