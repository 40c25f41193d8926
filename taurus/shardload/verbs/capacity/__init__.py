"""``run`` with a search: the highest rate that a target carries."""
