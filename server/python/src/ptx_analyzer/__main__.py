"""``python -m ptx_analyzer`` is the program ``ptx-analyzer``."""

import os
import subprocess
import sys

from ptx_analyzer import program


def main() -> int:
    command = [os.fspath(program()), *sys.argv[1:]]
    if os.name == "nt":
        # Windows cannot replace a process.
        return subprocess.run(command, check=False).returncode
    os.execv(command[0], command)


if __name__ == "__main__":
    sys.exit(main())
