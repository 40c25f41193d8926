"""Options of the verbs that show what there is to choose from."""
