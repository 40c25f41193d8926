"""The configuration: merged, checked, and in the form that the Java side reads."""
