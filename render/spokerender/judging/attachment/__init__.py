"""Attachment: the targets of each policy, and why it lacks a target (GEP-713; also GEP-2648)."""
