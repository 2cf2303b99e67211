"""The files that declare metapolicies and extensions."""
