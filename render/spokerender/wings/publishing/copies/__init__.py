"""What an agent makes of a consumer's object: named, mutated, with what it refers to and needs."""
