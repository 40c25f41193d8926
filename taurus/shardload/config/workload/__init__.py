"""Workload folders: where they are, what their ``workload.yml`` may contain, and the lines of its keys."""
