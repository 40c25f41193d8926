"""What there is to choose from: help, the files of profiles and workloads, completion."""
