"""The processes of a run: generators, the Java child, and the signals between them."""
