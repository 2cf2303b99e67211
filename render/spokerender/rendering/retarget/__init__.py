"""Retargeting: for the gateways of a spoke, what ships and what every reference becomes."""
