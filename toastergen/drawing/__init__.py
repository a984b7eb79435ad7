"""``explain --html``: the dependency graph of a program as one self-contained page, with its M3 beside it."""

from toastergen.drawing.page import html_page, html_picture

__all__ = ["html_page", "html_picture"]
