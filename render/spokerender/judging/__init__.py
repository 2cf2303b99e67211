"""What attaches, what is in force, what an API server would take, what nobody meant."""
