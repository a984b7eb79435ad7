"""M3's text form: ``read_program(print_program(p)) == p``. The grammar is in docs/m3.md."""

from toastergen.frontend.m3_text.print import Part, print_expr, print_program, print_statement, program_parts
from toastergen.frontend.m3_text.print_scalar import print_scalar
from toastergen.frontend.m3_text.read import Places, read_expr, read_places, read_program, read_scalar
from toastergen.frontend.m3_text.scope import Scope

__all__ = [
    "Part",
    "Places",
    "Scope",
    "print_expr",
    "print_program",
    "print_scalar",
    "print_statement",
    "program_parts",
    "read_expr",
    "read_places",
    "read_program",
    "read_scalar",
]
