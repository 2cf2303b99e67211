"""The door to the disk."""
