"""Which files are meant: by names that are searched for, or by paths; and which of them said what."""
