"""``run --dry-run``: what a run would be and do, without starting, writing or changing anything."""
