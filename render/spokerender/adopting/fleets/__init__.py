"""Turn the objects of existing clusters into one hub and one placement."""
