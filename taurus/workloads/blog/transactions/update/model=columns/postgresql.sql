UPDATE posts_columns SET views = :views WHERE _id = :key
