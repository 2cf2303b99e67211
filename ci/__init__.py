"""Programs that maintain this repository."""
