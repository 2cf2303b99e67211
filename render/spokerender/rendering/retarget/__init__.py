"""Retargeting: which objects ship with the gateways of a spoke, and with which references."""
