"""Run the functions of metapolicies that are programs: Python files, executables, extensions."""
