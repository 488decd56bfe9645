"""The dialects: `tl` (Tile IR) and AscendNPU IR's own, spelled as upstream spells them."""
