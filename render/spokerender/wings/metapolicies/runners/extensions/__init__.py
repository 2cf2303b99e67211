"""Run extensions: processes that keep running and render metapolicies, called over gRPC.

Import this package only for a project that has an extension: gRPC is an extra.
"""
