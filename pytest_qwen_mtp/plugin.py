"""The pytest plugin: options and wiring."""
