"""The modules that Taurus loads: executor, live results, criteria and console."""
