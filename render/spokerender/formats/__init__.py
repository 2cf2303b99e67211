"""Formats and languages, with one door to each library: YAML, CEL, Jinja2, patches, diffs."""
