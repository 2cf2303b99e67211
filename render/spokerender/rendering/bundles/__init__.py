"""Bundles: what each spoke gets, after placement, retargeting and overrides."""
