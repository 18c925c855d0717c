"""python -m sparsegdf is the command sparsegdf."""

import sys

from sparsegdf.selection.command_line import main

if __name__ == "__main__":
    sys.exit(main())
