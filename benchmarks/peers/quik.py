"""QuIK (Lloyd, Irani, Ahmadi 2022): a C++ and ROS 2 library with no Python package, so there is nothing to call.

`quik` on PyPI is something else, a template engine for web pages. QuIK's own Python files talk to a running ROS node,
and the library does not hold joint limits.
"""

from ..queries import Answers, Queries


def method(queries: Queries) -> Answers:  # noqa: ARG001 - as all peers take
    """Say that it cannot be had."""
    raise ImportError(
        "QuIK is a C++ library for ROS 2 without a Python package; `quik` on PyPI is an unrelated template engine"
    )
