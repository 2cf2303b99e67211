"""Findings: results, their codes, their causes, suppressions, and the errors that end a run."""
