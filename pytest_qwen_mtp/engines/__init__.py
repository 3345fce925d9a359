"""What each release of an engine accepts, and what it makes of a command line."""
