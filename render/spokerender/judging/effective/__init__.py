"""Effective policies: the rules in force on each path, the overruled rules, and the conditions."""
