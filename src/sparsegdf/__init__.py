"""Generalized degrees of freedom of sparse estimators: replica theory, belief propagation, exact search."""

import lazy_loader

# The public names are in __init__.pyi. A module is imported when one of its names is first used, so that a job that
# reads one table does not have to import numba.
_find, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__all__.remove("SparseRegressor")  # "import *" must not require scikit-learn


def __getattr__(name):
    if name == "__version__":
        from importlib.metadata import version

        return version("sparsegdf")
    return _find(name)
