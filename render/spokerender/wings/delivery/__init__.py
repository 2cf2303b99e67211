"""Delivery: files that make a GitOps engine apply each spoke's folder to the spoke."""
