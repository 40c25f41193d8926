SELECT * FROM posts_columns WHERE guest = :guest_of_columns LIMIT :limit
