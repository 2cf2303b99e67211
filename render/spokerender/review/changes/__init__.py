"""The differences between two trees of files; equal differences of several spokes are joined."""
