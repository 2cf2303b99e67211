"""Effective policies: the rules in force on each path, those overruled, and the conditions."""
