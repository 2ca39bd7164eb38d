"""Where the program is."""

from __future__ import annotations

import functools
import os
import shutil
import sys
import sysconfig
from pathlib import Path


@functools.lru_cache(maxsize=1)
def program() -> Path:
    """The program ``ptx-analyzer`` that came with this package.

    The environment variable ``PTX_ANALYZER_SERVER`` names another one.

    Raises :class:`FileNotFoundError` if there is none.
    """
    named = os.environ.get("PTX_ANALYZER_SERVER")
    if named:
        return Path(named)
    name = "ptx-analyzer" + (".exe" if os.name == "nt" else "")
    package = Path(__file__).resolve().parent
    folders = [
        # Of this environment.
        Path(sysconfig.get_path("scripts")),
        # Of `pip install --user`.
        Path(sysconfig.get_path("scripts", _user_scheme())),
        # Of `pip install --target` and `--prefix`.
        package.parent / "bin",
        *(it / "bin" for it in package.parents[2:5]),
        *(it / "Scripts" for it in package.parents[2:4]),
    ]
    for folder in folders:
        if (folder / name).is_file():
            return folder / name
    found = shutil.which(name)
    if found is None:
        places = ", ".join(map(str, folders[:3]))
        raise FileNotFoundError(f"the program {name} is not in {places}, nor on the PATH")
    return Path(found)


def _user_scheme() -> str:
    if sys.version_info >= (3, 10):
        return sysconfig.get_preferred_scheme("user")
    if os.name == "nt":
        return "nt_user"
    return "posix_user"
