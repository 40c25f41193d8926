"""Generated parts of pages in docs/: each module writes them, and a test compares them."""
