"""A fuzzer of our own: it knows what projects are made of, and breaks them in that knowledge."""
