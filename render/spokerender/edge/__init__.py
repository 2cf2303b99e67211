"""The only doors outward."""
