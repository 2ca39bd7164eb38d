#!/usr/bin/env python3
"""Puts the pictures of the documentation, taken by the editor tests, into editors/guide/pictures.

Run it after run-vscode.sh, run-nvim.sh and run-web.sh of this folder. Needs Pillow, which makes them small.
"""

import re
from pathlib import Path

from PIL import Image

# Enough for text; the pictures are cloned by everybody.
COLOURS = 96

root = Path(__file__).resolve().parents[2]
guide = root / "editors/guide"
pages = "".join(page.read_text(encoding="utf-8") for page in guide.glob("*.md"))
total = 0
for name in sorted(set(re.findall(r"\(pictures/([a-z-]+\.png)\)", pages))):
    picture = Image.open(root / "target/editor-screens" / name).convert("RGB")
    target = guide / "pictures" / name
    target.parent.mkdir(exist_ok=True)
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(target, optimize=True)
    total += target.stat().st_size
print(f"{total} bytes")
