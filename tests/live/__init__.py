"""What the real programs make of our trees; `make live` runs it."""
