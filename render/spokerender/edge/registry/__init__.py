"""The only door to registries of OCI artifacts, and only `push` goes through."""
