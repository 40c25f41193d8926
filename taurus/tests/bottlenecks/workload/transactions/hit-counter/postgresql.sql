-- The row stays locked while the answer, the second statement and COMMIT travel.
UPDATE counters SET hits = hits + 1 WHERE id = 1;

SELECT hits FROM counters WHERE id = 1
