"""The verb ``workload``: making and checking folders with statements."""
