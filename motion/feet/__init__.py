"""Feet on the ground, over time: contacts, a place for each, the swing between. May import solvers."""
