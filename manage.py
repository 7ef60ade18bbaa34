#!/usr/bin/env python
import os
import sys

from django.core.management import execute_from_command_line

from bcms.database.base import UnsupportedDatabaseError
from bcms.database.reply_limits import COMMAND_SECONDS, set_limit_of_process

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bcms.settings")
    set_limit_of_process(COMMAND_SECONDS)
    try:
        execute_from_command_line(sys.argv)
    except UnsupportedDatabaseError as error:
        sys.exit(str(error))
