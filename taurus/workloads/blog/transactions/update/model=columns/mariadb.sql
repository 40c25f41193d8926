UPDATE posts_columns SET edition = :posts_columns.edition, views = :posts_columns.views WHERE _id = :posts_columns._id AND edition = :posts_columns.before
