#include "check.hpp"

#include <toastergen/functions.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

using namespace std::string_view_literals;

static constexpr std::int32_t first_day = -719162; // 0001-01-01
static constexpr std::int32_t last_day = 2932896;  // 9999-12-31
static constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
static constexpr std::int64_t fewest = std::numeric_limits<std::int64_t>::min();

CASE(parts_of_dates_at_the_ends_of_the_calendar) {
    CHECK(tg::year(first_day) == 1 && tg::month(first_day) == 1 && tg::day(first_day) == 1);
    CHECK(tg::year(last_day) == 9999 && tg::month(last_day) == 12 && tg::day(last_day) == 31);
    CHECK(tg::day_of_week(first_day) == 1 && tg::day_of_week(0) == 4 && tg::day_of_week(3) == 0);
    CHECK(tg::week(18630) == 53 && tg::day_of_year(18630) == 3); // 2021-01-03 is a Sunday
    CHECK(tg::trunc_week(first_day) == first_day && tg::trunc_week(-1) == -3);
    CHECK(tg::trunc_quarter(18630) == 18628 && tg::trunc_year(last_day) == last_day - 364);
}

// Every day of four centuries against the day before: the calendar repeats after that.
CASE(consecutive_days_follow_each_other) {
    for (std::int32_t day = 1; day < 146097; ++day) {
        const bool new_month = tg::day(day) == 1;
        CHECK(new_month ? tg::month(day) == tg::month(day - 1) % 12 + 1 : tg::day(day) == tg::day(day - 1) + 1);
        CHECK(tg::day_of_week(day) == (tg::day_of_week(day - 1) + 1) % 7);
        CHECK(tg::trunc_month(day) == day - tg::day(day) + 1);
    }
}

CASE(date_arithmetic_stays_in_the_calendar) {
    tg::overflow_flag flag;
    CHECK(tg::add_months(flag, 18292, 1) == 18321);   // 2020-01-31 to 2020-02-29
    CHECK(tg::add_months(flag, 18321, -12) == 17955); // 2020-02-29 to 2019-02-28
    CHECK(tg::add_days(flag, first_day, last_day - first_day) == last_day);
    CHECK(!flag.set);
    for (const std::int64_t amount : {std::int64_t{1}, most, fewest}) {
        tg::overflow_flag days;
        tg::add_days(days, last_day, amount);
        tg::overflow_flag months;
        tg::add_months(months, last_day, amount);
        CHECK(days.set && months.set);
    }
}

CASE(rounding) {
    tg::overflow_flag flag;
    CHECK(tg::floor_scaled(std::int64_t{-150}, 2) == -2 && tg::ceil_scaled(std::int64_t{-150}, 2) == -1);
    CHECK(tg::floor_scaled(std::int64_t{150}, 2) == 1 && tg::ceil_scaled(std::int64_t{101}, 2) == 2);
    CHECK(tg::round_exact(flag, std::int64_t{-145}, 1, 1) == -150 &&
          tg::round_exact(flag, std::int64_t{144}, 1, 1) == 140);
    CHECK(tg::round_double(2.5, 0) == 3 && tg::round_double(0.49999999999999994, 0) == 0);
    CHECK(tg::round_double(1e300, 20) == 1e300);
    CHECK(!flag.set);
    CHECK(tg::absolute(flag, most) == most && !flag.set);
    tg::absolute(flag, fewest);
    CHECK(flag.set);
    tg::overflow_flag quotient;
    CHECK(tg::divide_whole(quotient, -7, 2) == -3 && !quotient.set);
    tg::divide_whole(quotient, fewest, -1);
    CHECK(quotient.set);
}

CASE(ends_of_a_list_know_nan) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(tg::greatest(1.0, nan, 2.0) != tg::greatest(1.0, nan, 2.0));
    CHECK(tg::least(nan, 1.0) == 1.0);
    CHECK(tg::greatest("a"sv, "b"sv, ""sv) == "b");
}

CASE(parts_of_strings_count_code_points) {
    const std::string_view text = "aé€😀b";
    CHECK(tg::length(text) == 5);
    CHECK(tg::substring(text, 2, 2) == "é€" && tg::substring(text, -2) == "😀b" && tg::substring(text, 0, 2) == "a");
    CHECK(tg::substring(text, 3, -2) == "aé" && tg::substring(text, -9, 5) == "a");
    CHECK(tg::substring(text, most, most).empty() && tg::substring(text, fewest, fewest).empty());
    CHECK(tg::substring(text, fewest, most) == "aé€😀" && tg::substring(text, 1, most) == text);
    CHECK(tg::left(text, -1) == "aé€😀" && tg::left(text, fewest).empty() && tg::left(text, most) == text);
    CHECK(tg::right(text, 2) == "😀b" && tg::right(text, fewest).empty() && tg::right(text, most) == text);
    CHECK(tg::trim("\u3000 a\t\u00a0") == "a\t" && tg::trim("éaé", "é") == "a" && tg::trim("abc", "") == "abc");
    CHECK(tg::position(text, "😀") == 4 && tg::position(text, "") == 1 && tg::position(text, "x") == 0);
}

CASE(new_strings) {
    tg::scratch memory;
    CHECK(tg::upper(memory, "straße ǆ ı 𐐨") == "STRAẞE Ǆ I 𐐀");
    CHECK(tg::lower(memory, "İΣK") == "iσk");
    CHECK(tg::concat(memory, "a"sv, ""sv, "é"sv) == "aé");
    CHECK(tg::replace(memory, "aaa", "aa", "b") == "ba" && tg::replace(memory, "a", "", "x") == "a");
    CHECK(tg::lpad(memory, "é", 4, "xy") == "xyxé" && tg::rpad(memory, "abc", 2, "x") == "ab");
    CHECK(tg::upper(memory, "").empty());
}

CASE(malformed_input_is_harmless) {
    tg::scratch memory;
    for (const std::string& text : {std::string("\xff\xc3"), std::string("\x80\x80\x80"), std::string("a\xf0\x90")}) {
        tg::upper(memory, text);
        CHECK(tg::lower(memory, text).size() == text.size());
        tg::substring(text, -1, 1);
        tg::trim(text, text);
        tg::lpad(memory, text, 9, text);
    }
}

CASE(a_mark_gives_memory_back) {
    tg::scratch memory;
    const std::string large(5000, 'x');
    const std::string_view kept = tg::upper(memory, "kept");
    std::size_t bytes = 0;
    for (int round = 0; round < 100; ++round) {
        const tg::scratch_mark outer(memory);
        const std::string_view before = tg::concat(memory, large, "!"sv);
        {
            const tg::scratch_mark inner(memory);
            tg::upper(memory, large);
        }
        tg::upper(memory, "overwrites what the inner mark gave back");
        CHECK(before.size() == 5001 && before.back() == '!');
        if (round == 0) {
            bytes = memory.bytes();
        }
    }
    CHECK(kept == "KEPT" && memory.bytes() == bytes);
}
