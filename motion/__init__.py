"""Pure maths over time: foot contacts, foot plans, smoothing. May import solvers and numpy, never Blender."""
