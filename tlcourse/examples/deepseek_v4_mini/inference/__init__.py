"""The model: its operators in torch, its layers, a run that compares both kinds of operators."""
