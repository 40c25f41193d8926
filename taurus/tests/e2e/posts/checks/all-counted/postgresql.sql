SELECT count(*) AS n FROM posts HAVING count(*) < :loaded_posts + :done_write_post - :done_remove_post - :unknown_remove_post
  OR count(*) > :loaded_posts + :done_write_post + :unknown_write_post - :done_remove_post
