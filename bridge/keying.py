"""Keys for what was posed."""
