"""Publishing, half by half."""
