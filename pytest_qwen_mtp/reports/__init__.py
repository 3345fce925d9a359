"""One small module per report format. Each is a pure function of what was found."""
