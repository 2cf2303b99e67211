"""The page of a review: one HTML file that needs nothing else."""
