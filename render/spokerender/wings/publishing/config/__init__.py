"""The publishing file, and upstream's PublishedResource."""
