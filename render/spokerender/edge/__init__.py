"""The doors outward: files, Git, programs. Nothing below does any I/O."""
