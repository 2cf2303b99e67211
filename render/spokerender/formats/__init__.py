"""Languages of others, each behind one door: YAML, CEL, Jinja2, patches, differences."""
