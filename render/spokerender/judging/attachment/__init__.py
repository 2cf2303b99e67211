"""Attachment: where each policy attaches, and why not (GEP-713; GEP-2648 where it goes further)."""
