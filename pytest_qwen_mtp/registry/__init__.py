"""The known ways in which Qwen with MTP breaks: one YAML file each, a loader and an evaluator."""
