"""Judging: attachments, policies in force, validation by the API server, and advice."""
