"""Tests of requests: expectations about gateways, which are checked on every spoke."""
