"""shardload's Taurus side: command line, checks, schedule, executor, live results and criteria."""

__version__ = "0.1.0"
