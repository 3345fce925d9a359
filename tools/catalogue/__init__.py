"""Reads the facts of the engine catalogue from the sources of a release. Nothing of a release is ever imported."""
