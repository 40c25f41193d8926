SELECT _id, doc, doc->'tags' AS "doc.tags" FROM posts WHERE doc->'tags' ? :tag LIMIT :limit
