"""Judges a rendered fleet: attachments, effective policies, and validation.

Each distinct blueprint and each distinct object is judged once for all spokes that share it.
"""
