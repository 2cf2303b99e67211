"""Findings: results, their codes, causes and suppressions, and the errors that end a run."""
