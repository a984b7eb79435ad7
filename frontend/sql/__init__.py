"""SQL to resolved queries."""

from toastergen.frontend.sql.parse import read_query, read_script
from toastergen.frontend.sql.schema import relations_from_schema

__all__ = ["read_query", "read_script", "relations_from_schema"]
