"""Beginning with the tool: bringing a cluster's objects in. Pure, as all of the core."""
