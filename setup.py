"""Gives an editable install the version that the manifest names, its only place; the rest is in pyproject.toml."""

import tomllib
from pathlib import Path

from setuptools import setup

manifest = Path(__file__).with_name("blender_manifest.toml")
setup(version=tomllib.loads(manifest.read_text(encoding="utf-8"))["version"])
