DELETE FROM posts_columns WHERE _id = :posts_columns._id AND edition = :posts_columns.before
