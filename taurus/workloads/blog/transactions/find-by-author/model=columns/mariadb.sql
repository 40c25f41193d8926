SELECT *, author AS `doc.author` FROM posts_columns WHERE author = :author LIMIT :limit
