"""What the generators write while they run, as the live display needs it."""
