"""That something has changed which visitors can see."""

from django.db import models


class VisitorChange(models.Model):
    """Written by the database with each statement that changes what visitors can see; the sum of number grows with it.

    Triggers write it (bcms/visitor_pages/changes.py), and nothing else than that sum is read. Rows are only added, so
    that transactions do not wait for each other, and now and then united to one.
    """

    number = models.PositiveBigIntegerField(default=1, db_default=1)
    # Only pages of challenges show it, so that the others stay as they are while runs are scored.
    of_boards = models.BooleanField(default=False, db_default=False)
