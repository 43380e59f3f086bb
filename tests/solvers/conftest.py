"""The solvers are tested as they run in Blender: without scipy. Tests that take it for a twin ask for it."""

import sys
from collections.abc import Iterator
from types import ModuleType

import pytest

from posewright.tests import no_scipy

assert "scipy" not in sys.modules, "something has imported scipy before the solvers' tests could block it"
no_scipy.block()


@pytest.fixture
def optimize() -> Iterator[ModuleType]:
    """scipy.optimize, in this test only."""
    with no_scipy.lifted():
        yield pytest.importorskip("scipy.optimize", reason="scipy is the twin; requirements/solvers.txt names it")
