"""Settings that all tests share."""

import os

import pytest
from hypothesis import settings

# A short, seeded share of the fuzzing in every run; the long one with `make soak`.
settings.register_profile("test", derandomize=True, deadline=None, max_examples=100)
settings.register_profile("soak", deadline=None, max_examples=20_000)
settings.load_profile("soak" if os.environ.get("POSEWRIGHT_SOAK") else "test")


@pytest.fixture(scope="session")
def soak() -> bool:
    """True in the long run, for tests that repeat something."""
    return bool(os.environ.get("POSEWRIGHT_SOAK"))
