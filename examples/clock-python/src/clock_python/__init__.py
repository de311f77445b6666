"""A page that says what time it is."""
