"""Values as people write them in YAML: quantities, percentages of a mix, criteria, the course of the load."""
