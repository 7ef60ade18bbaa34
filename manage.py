#!/usr/bin/env python
import os
import sys

from django.core.management import execute_from_command_line

from bcms.database.base import UnsupportedDatabaseError

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bcms.settings")
    try:
        execute_from_command_line(sys.argv)
    except UnsupportedDatabaseError as error:
        sys.exit(str(error))
