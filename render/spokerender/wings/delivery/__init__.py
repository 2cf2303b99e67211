"""Delivery: what makes a GitOps engine apply each spoke's folder to its spoke."""
