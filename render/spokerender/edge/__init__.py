"""The doors outward: files, Git, programs, the network. Nothing below does any I/O."""
