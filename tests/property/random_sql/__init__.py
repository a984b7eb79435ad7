"""Random scripts of the accepted SQL with streams that fit them. The same seed always makes the same case."""

from property.random_sql.case import DEEP, FLAT, Case, random_case

__all__ = ["DEEP", "FLAT", "Case", "random_case"]
