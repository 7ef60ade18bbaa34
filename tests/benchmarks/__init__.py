"""Benchmarks, with one thread for numpy's products, as the workers and the command have it."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
