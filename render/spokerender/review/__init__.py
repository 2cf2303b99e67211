"""What a change does: differences, and what it would lose."""
