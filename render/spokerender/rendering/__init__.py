"""From a hub and a placement to every spoke's tree."""
