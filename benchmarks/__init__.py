"""The five papers' experiments and the peers, each in one run, with plots. Not in the zip; may import everything."""
