"""Advice: YAML of a spoke in, findings out."""
