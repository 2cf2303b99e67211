"""Tests of requests: what must hold of a gateway, written down, and checked on every spoke."""
