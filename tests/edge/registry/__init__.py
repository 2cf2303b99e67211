"""The door to registries."""
