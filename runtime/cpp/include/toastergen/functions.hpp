// The scalar functions of SQL, for generated expressions.
#pragma once

#include "automaton.hpp"
#include "functions_cast.hpp"
#include "functions_date.hpp"
#include "functions_number.hpp"
#include "functions_text.hpp"
#include "functions_time.hpp"
#include "scratch.hpp"
