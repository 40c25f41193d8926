"""Sets up what the launcher misses: jars, a JMeter home, a Python environment. Runs on any Python 3.9."""
