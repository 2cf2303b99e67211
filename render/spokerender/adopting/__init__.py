"""Pure functions that create or edit files which the owner of a project goes on editing."""
