"""The verb ``history``: keeping runs beyond their workspace, and showing how they change."""
