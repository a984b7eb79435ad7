// Arrow in and out.
#pragma once

#include "arrow_batch.hpp"
#include "arrow_table.hpp"
