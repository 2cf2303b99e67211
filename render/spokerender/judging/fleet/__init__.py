"""The judgement of a rendered fleet: attachments, effective policies, and validation.

Every distinct blueprint and every distinct object is judged once, however many spokes share it.
"""
