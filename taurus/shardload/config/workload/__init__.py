"""Workload folders: where they are, what their ``workload.yml`` may say, and on which line it says it."""
