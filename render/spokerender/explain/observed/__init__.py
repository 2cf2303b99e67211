"""Exports of spokes, compared with their trees."""
