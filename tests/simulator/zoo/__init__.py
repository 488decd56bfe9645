"""Small kernels with one fault each, and tricky ones without any."""
