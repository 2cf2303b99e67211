"""Everything that edits or creates the files of a project's owner, as pure functions."""
