"""The only doors outward: the disk and Git."""
