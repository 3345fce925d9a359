"""Text to ServeProfile: one module per kind of file."""
