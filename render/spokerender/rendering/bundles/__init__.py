"""Bundles: the objects that each spoke gets, after placement, retargeting and overrides."""
