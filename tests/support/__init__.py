"""What many tests build on: projects, stages, fleets."""
