"""Formats and languages, with one door to each library: YAML, CEL, RE2, Jinja2, patches, diffs."""
