"""Judging of clusters: attachments, effective policies, routing, validation, and advice."""
