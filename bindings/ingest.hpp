// The Python face of the CSV reader.
#pragma once

#include <pybind11/pybind11.h>

void bind_ingest(pybind11::module_& m);
