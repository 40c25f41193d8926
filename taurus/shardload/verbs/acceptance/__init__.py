"""The verb ``acceptance``: what a cluster's owner runs once, and one page of pass, fail and why."""
