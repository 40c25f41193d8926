"""Which files a run uses, by name or by path, and which of them set which key."""
