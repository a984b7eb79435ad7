// The table of counts against a map, and fingerprints of rows that are nearly equal.
#include "check.hpp"
#include "random.hpp"

#include <toastergen/count_ledger.hpp>

#include <map>
#include <string>

namespace {

using key = std::pair<std::uint64_t, std::uint64_t>;

tg_value integer(std::int64_t number) {
    tg_value value{};
    value.kind = TG_INT;
    value.i = number;
    return value;
}

tg_value string(const std::string& text) {
    tg_value value{};
    value.kind = TG_STRING;
    value.s.data = text.data();
    value.s.size = text.size();
    return value;
}

tg_value null() {
    tg_value value{};
    value.kind = TG_NULL;
    return value;
}

tg_value number(double value) {
    tg_value result{};
    result.kind = TG_DOUBLE;
    result.d = value;
    return result;
}

bool same(const tg::fingerprinter& mark, std::vector<tg_value> left, std::vector<tg_value> right) {
    return mark(left.data(), left.size()) == mark(right.data(), right.size());
}

} // namespace

CASE(rows_that_look_alike_have_different_fingerprints) {
    const tg::fingerprinter mark;
    const std::string ab = "ab", c = "c", a = "a", bc = "bc", nothing, zero(1, '\0'), sixteen(16, 'x'),
                      seventeen(17, 'x');
    CHECK(same(mark, {integer(1), string(ab)}, {integer(1), string(std::string("a") + "b")}));
    CHECK(!same(mark, {string(ab), string(c)}, {string(a), string(bc)}));
    CHECK(!same(mark, {string(nothing)}, {string(zero)}));
    CHECK(!same(mark, {string(sixteen)}, {string(seventeen)}));
    CHECK(!same(mark, {string(nothing)}, {null()}));
    CHECK(!same(mark, {integer(0)}, {null()}));
    CHECK(!same(mark, {integer(std::numeric_limits<std::int64_t>::min())}, {null()}));
    CHECK(!same(mark, {integer(1), integer(2)}, {integer(2), integer(1)}));
    CHECK(!same(mark, {null(), integer(1)}, {integer(1), null()}));
    CHECK(same(mark, {number(0.0)}, {number(-0.0)}));
}

CASE(no_two_of_many_rows_collide) {
    const tg::fingerprinter mark;
    std::map<key, int> seen;
    for (std::int64_t a = 0; a < 200; ++a) {
        for (std::int64_t b = 0; b < 200; ++b) {
            const tg_value row[] = {integer(a), integer(b << 32)};
            const tg::fingerprint found = mark(row, 2);
            ++seen[{found.low, found.high}];
        }
    }
    CHECK(seen.size() == 40'000);
}

CASE(counts_follow_a_map) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        random_source random(seed);
        tg::count_ledger ledger;
        std::map<key, std::int64_t> model;
        const std::uint64_t domain = seed % 2 == 0 ? 50 : 5'000;
        for (int step = 0; step < 20'000; ++step) {
            // Places that collide on purpose: the low word decides where a row goes.
            const tg::fingerprint row{random.below(domain) % 97 + 1, random.below(domain) + 1};
            const std::int64_t weight = static_cast<std::int64_t>(random.below(7)) - 3;
            std::int64_t count = 0;
            CHECK(ledger.add(row, weight, count));
            std::int64_t& expected = model[{row.low, row.high}];
            expected += weight;
            CHECK(count == expected);
            if (random.below(3) == 0) {
                ledger.settle(row);
                if (expected == 0) {
                    model.erase({row.low, row.high});
                }
            }
        }
        CHECK(ledger.rows() == model.size());
        for (const auto& [row, count] : model) {
            CHECK(ledger.count({row.first, row.second}) == count);
        }
        for (const auto& [row, count] : model) {
            ledger.take_back({row.first, row.second}, count);
            ledger.settle({row.first, row.second});
        }
        CHECK(ledger.rows() == 0);
    }
}

CASE(large_counts_are_exact_and_overflow_is_told) {
    tg::count_ledger ledger;
    const tg::fingerprint row{7, 8};
    const std::int64_t most = std::numeric_limits<std::int64_t>::max();
    std::int64_t count = 0;
    CHECK(ledger.add(row, std::numeric_limits<std::int32_t>::max(), count));
    CHECK(ledger.add(row, 1, count) && count == std::int64_t{1} << 31);
    CHECK(ledger.add(row, -count - 5, count) && count == -5);
    CHECK(ledger.add(row, most, count) && count == most - 5);
    CHECK(!ledger.add(row, 6, count) && ledger.count(row) == most - 5);
    ledger.take_back(row, most - 5);
    CHECK(ledger.count(row) == 0 && ledger.rows() == 1);
    ledger.settle(row);
    CHECK(ledger.rows() == 0 && ledger.count(row) == 0);
}
