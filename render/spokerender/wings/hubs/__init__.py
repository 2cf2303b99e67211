"""Hubs: decisions about placements, read from a hub's objects or computed as its scheduler does."""
