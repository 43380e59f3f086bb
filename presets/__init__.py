"""Data only: bone roles of known skeletons, human joint limits. Imports nothing; bridge reads it."""
