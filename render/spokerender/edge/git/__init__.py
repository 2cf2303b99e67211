"""Read a project and its output at a revision; only this package runs Git. Nothing is written."""
