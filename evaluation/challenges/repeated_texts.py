"""When a text is one that was sent before: by a program that got no answer, or by a button that was pressed twice."""

from datetime import timedelta

# For so long the same text of the same person is stored once, and both requests get the same answer.
REPEATED_WITHIN = timedelta(minutes=10)
