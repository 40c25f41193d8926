"""The verb ``runs``: what is in the folder of runs, by name, tag and verdict; opening and removing it."""
