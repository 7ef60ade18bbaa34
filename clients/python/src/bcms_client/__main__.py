"""python -m bcms_client: the command bcms."""

import sys

from bcms_client.commands.main import main

sys.exit(main())
