"""``run --dry-run``: what a run would be and do, told without starting, writing or changing anything."""
