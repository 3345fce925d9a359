"""Checks that need code rather than a registry entry: one module per rule."""
