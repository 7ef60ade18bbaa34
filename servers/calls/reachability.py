"""When a server counts as unreachable: after three calls in a row that did not reach it.

Its queues rest between further calls (servers/calls/outcomes/server_rest.py), and after a day it is taken offline.
"""

from datetime import timedelta

UNREACHABLE_REST = timedelta(seconds=60)
# The number of consecutive calls that do not reach the server after which it counts as down.
MISSES_UNTIL_UNREACHABLE = 3
UNREACHABLE_UNTIL_FAILED = timedelta(hours=24)
