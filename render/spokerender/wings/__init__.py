"""Wings: capabilities that a project switches on; the core works without any of them."""
