"""The only door to Git: a project and its output at a revision. Nothing is written."""
