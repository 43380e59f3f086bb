"""Feet on the ground, as maths over time: contacts, a place for each, the swing between, the pelvis that follows."""
