"""What callers such as Jenkins need: shortcuts, locks, checks before a run, and results in one folder."""
