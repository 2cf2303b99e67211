"""The files that declare what is published, and the PublishedResources of each release."""
