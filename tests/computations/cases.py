"""Files of judged cases: a line for each form, and under it a line for each case.

    add.s32 $d, $a, $b;<tab>a:b32 b:b32<tab>d:b32:s32<tab>
    7fffffff 1 80000000

The fields of a form are its statements, the classes of the registers that are read, those that are written with their
types, the bound on the error of an approximation, and the classes of the registers between.
A case has the operands and the results in hexadecimal; `x` is a digit that the judge does not know, `?` a result that
the manual leaves open. Of statements that lanes run together each has 32 values, after the mask of active lanes.
"""

import gzip
import io
import sys

import forms


def head(form):
    """The line of a form."""
    ins = " ".join(f"{name}:{forms.register(kind)}" for name, kind in form.ins)
    outs = " ".join(f"{name}:{forms.register(kind)}:{kind}" for name, kind in form.outs)
    within = f"{form.within[0]} {form.within[1]!r}" if form.within else ""
    between = " ".join(f"{name}:{register}" for name, register in getattr(form, "between", ()))
    return "\t".join((form.text, ins, outs, within, between)).rstrip("\t") + "\t"


def write(path, title, judged):
    """Writes forms with their cases; the same bytes for the same cases."""
    out = io.StringIO()
    print(f"# {title}", file=out)
    for form, cases in judged:
        if cases:
            print(head(form), file=out)
            for case in cases:
                print(*case, file=out)
    data = out.getvalue().encode()
    if path == "-":
        sys.stdout.write(out.getvalue())
        return
    with open(path, "wb") as file:
        file.write(gzip.compress(data, 9, mtime=0) if path.endswith(".gz") else data)


def texts(path):
    """The statements of the forms in a file."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
        return {line.split("\t")[0] for line in file if "\t" in line}
