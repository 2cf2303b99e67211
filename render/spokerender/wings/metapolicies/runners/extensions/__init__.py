"""The door to extensions: processes that stay up and render metapolicies, spoken to over gRPC.

gRPC is imported by `calls` and `serving` alone: who has no extension does not need it.
"""
