"""What is wrong with a file that the jobs are made from."""

from __future__ import annotations


class Problem(Exception):
    """One line that names the file and what is wrong in it."""
