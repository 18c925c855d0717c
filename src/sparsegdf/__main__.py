"""python -m sparsegdf is the command sparsegdf."""

import sys

from sparsegdf.selection.command_line import main

sys.exit(main())
