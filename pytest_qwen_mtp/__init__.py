"""pytest plugin and CI gate for Qwen served with multi-token prediction."""

__version__ = "0.1.0"
