"""Access to files, Git and programs. Except for wings and commands, no other package does I/O."""
