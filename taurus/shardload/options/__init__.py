"""The options of the verbs, where they are many or need words: parsers only, nothing is done here."""
