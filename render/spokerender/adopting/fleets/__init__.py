"""A fleet that is there already, made into one hub and one placement."""
