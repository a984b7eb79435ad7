#include "check.hpp"

#include <toastergen/nullable.hpp>

using tg::nullable;

static const nullable<bool> unknown{};

CASE(lift_is_absent_if_any_argument_is) {
    const auto plus = [](double a, double b) { return a + b; };
    CHECK(tg::lift(plus, 1.0, tg::to_nullable(2.0)) == nullable<double>{3.0, true});
    CHECK(!tg::lift(plus, 1.0, nullable<double>{}).present);
    CHECK(!tg::lift(plus, nullable<double>{}, nullable<double>{}).present);
}

CASE(lift_does_not_nest) {
    const auto half = tg::lift(tg::divide, tg::to_nullable(1.0), 2.0);
    CHECK(half == nullable<double>{0.5, true});
    CHECK(!tg::lift(tg::divide, half, 0.0).present);
}

CASE(division_by_zero_is_null) {
    CHECK(!tg::divide(1.0, 0.0).present);
    CHECK(!tg::divide(1.0, -0.0).present);
    CHECK(!tg::remainder(1, 0).present);
    CHECK(tg::remainder(-7, 3) == nullable<std::int64_t>{-1, true});
}

CASE(coalesce_takes_the_first_present) {
    CHECK(tg::coalesce_null(nullable<double>{}, 4.0) == 4.0);
    CHECK(tg::coalesce_null(tg::to_nullable(3.0), 4.0) == 3.0);
    CHECK(!tg::coalesce_null(nullable<double>{}, nullable<double>{}).present);
}

CASE(logic_has_three_values) {
    CHECK(tg::is_false(tg::logical_and(unknown, false)));
    CHECK(!tg::logical_and(unknown, true).present);
    CHECK(tg::is_true(tg::logical_and(true, tg::to_nullable(true))));
    CHECK(tg::is_true(tg::logical_or(unknown, true)));
    CHECK(!tg::logical_or(unknown, false).present);
    CHECK(tg::is_false(tg::logical_or(false, false)));
    CHECK(!tg::logical_not(unknown).present);
    CHECK(tg::is_false(tg::logical_not(tg::to_nullable(true))));
    CHECK(!tg::is_true(unknown) && !tg::is_false(unknown));
}
