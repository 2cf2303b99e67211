"""Hubs: decisions about placements, from the objects of a hub or as its scheduler makes them."""
