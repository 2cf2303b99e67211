"""From values to text, for people and for programs. Nothing here prints."""
