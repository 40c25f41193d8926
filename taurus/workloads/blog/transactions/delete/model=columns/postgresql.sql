DELETE FROM posts_columns WHERE _id = :key
