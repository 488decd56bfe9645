"""A small model of DeepSeek-V4's shape, and an example for each of its operators."""
