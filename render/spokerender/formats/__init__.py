"""Formats and languages, each library in one module: YAML, CEL, RE2, Jinja2, patches, diffs."""
