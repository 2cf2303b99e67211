"""What the settings of several engines have in common."""

PATH = "The output folder's path in the repository that holds the trees; default: spec.output."
