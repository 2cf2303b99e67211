"""The judgement of a rendered fleet: attachments, policies in force, and validation.

Every distinct blueprint and every distinct object is judged once, however many spokes share it.
"""
