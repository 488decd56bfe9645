"""From the ops of Tile IR to lines of Python."""
