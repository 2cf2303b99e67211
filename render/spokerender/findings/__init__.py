"""What the tool says: results, their codes, what was accepted of them, how it refuses to go on."""
