// Windows: random changes, judged by a model that computes every result from scratch.
#include "check.hpp"
#include "random.hpp"

#include <toastergen/window.hpp>

#include <map>
#include <optional>

struct row {
    std::int32_t group{};
    tg::nullable<std::int32_t> key{};
    std::int64_t value{};
    tg::nullable<std::string> name{};
};

struct results {
    std::int64_t number{};
    std::int64_t rank{};
    std::int64_t dense{};
    double percent{};
    double share{};
    std::int64_t tile{};
    tg::nullable<std::int64_t> before{};
    std::int64_t behind{};
    std::int64_t running{};
    tg::nullable<std::int64_t> sliding{};
    std::int64_t peers{};
    std::int64_t near{};
    tg::nullable<std::string> least{};
    tg::nullable<std::int64_t> third{};
    std::int64_t total{};
    std::int64_t rest{};
    std::int64_t groups{};
    tg::nullable<std::string> last_known{};
    tg::nullable<std::string> known_before{};
    tg::nullable<std::string> known_behind{};
};

using key_first = tg::order_key<&row::key, true, true>; // DESC NULLS FIRST
using by_key = tg::window_order<key_first>;
using by_everything = tg::window_order<tg::order_key<&row::group>, tg::order_key<&row::key>, tg::order_key<&row::value>,
                                       tg::order_key<&row::name>>;
template <std::int64_t Start, std::int64_t End>
using rows_between = tg::rows_frame<tg::row_offset<Start>, tg::row_offset<End>>;
using so_far = tg::range_frame<by_key, void, tg::partition_edge, tg::current_peers>;
using around =
    tg::range_frame<by_key, key_first, tg::range_before<tg::exact_offset<1>>, tg::range_behind<tg::exact_offset<2>>>;
using whole = tg::rows_frame<tg::partition_edge, tg::partition_edge>;
using nearby_groups = tg::groups_frame<by_key, tg::row_offset<-2>, tg::row_offset<1>>;
using from_here = tg::rows_frame<tg::row_offset<0>, tg::partition_edge>;

using windowed = tg::window<
    row, results, tg::fields<&row::group>, by_key, by_everything,
    tg::fields<&results::number, &results::rank, &results::dense, &results::percent, &results::share, &results::tile,
               &results::before, &results::behind, &results::running, &results::sliding, &results::peers,
               &results::near, &results::least, &results::third, &results::total, &results::rest, &results::groups,
               &results::last_known, &results::known_before, &results::known_behind>,
    tg::row_number<&results::number>, tg::rank<&results::rank, by_key>, tg::dense_rank<&results::dense, by_key>,
    tg::percent_rank<&results::percent, by_key>, tg::cume_dist<&results::share, by_key>, tg::ntile<&results::tile, 3>,
    tg::neighbour<&results::before, &row::value, -2, nullptr>,
    tg::neighbour<&results::behind, &row::value, 1, &row::value>,
    tg::framed<&results::running, tg::exact_sum<&row::value, std::int64_t>, so_far>,
    tg::framed<&results::sliding, tg::exact_sum<&row::value, std::int64_t>, rows_between<-3, -1>>,
    tg::framed<&results::peers, tg::count_of<&row::key>, around>, tg::framed<&results::near, tg::count_rows, around>,
    tg::framed<&results::least, tg::end_value<&row::name, 1>, rows_between<-1, 2>>,
    tg::placed<&results::third, &row::value, so_far, tg::nth_place<3>>,
    tg::framed<&results::total, tg::exact_sum<&row::value, std::int64_t>, whole>,
    tg::framed<&results::rest, tg::exact_sum<&row::value, std::int64_t>, from_here>,
    tg::framed<&results::groups, tg::exact_sum<&row::value, std::int64_t>, nearby_groups>,
    tg::known_placed<&results::last_known, &row::name, so_far, tg::last_place>,
    tg::known_neighbour<&results::known_before, &row::name, -2, nullptr>,
    tg::known_neighbour<&results::known_behind, &row::name, 1, &row::name>>;

// --- the model ------------------------------------------------------------------------------------------------------

using cell = std::optional<std::string>;
using line = std::vector<cell>;

template <class T> static cell shown(const T& value) {
    return std::to_string(value);
}
static cell shown(const std::string& value) {
    return value;
}
template <class T> static cell shown(const tg::nullable<T>& value) {
    return value.present ? shown(value.value) : cell();
}

static line shown_row(const row& r) {
    return {shown(r.group), shown(r.key), shown(r.value), shown(r.name)};
}

static line shown_all(const row& r, const results& x) {
    line all = shown_row(r);
    for (const cell& value :
         {shown(x.number), shown(x.rank),   shown(x.dense),      shown(x.percent),      shown(x.share),
          shown(x.tile),   shown(x.before), shown(x.behind),     shown(x.running),      shown(x.sliding),
          shown(x.peers),  shown(x.near),   shown(x.least),      shown(x.third),        shown(x.total),
          shown(x.rest),   shown(x.groups), shown(x.last_known), shown(x.known_before), shown(x.known_behind)}) {
        all.push_back(value);
    }
    return all;
}

static int order_of(const row& left, const row& right) {
    const int order = by_key::compare(left, right);
    return order != 0 ? order : by_everything::compare(left, right);
}

class model {
public:
    explicit model(std::vector<row> rows) : m_rows(std::move(rows)) {
        std::sort(m_rows.begin(), m_rows.end(), [](const row& a, const row& b) { return order_of(a, b) < 0; });
    }

    std::vector<line> lines() const {
        std::vector<line> all;
        for (int i = 0; i < size(); ++i) {
            all.push_back(shown_all(at(i), of(i)));
        }
        return all;
    }

private:
    int size() const { return static_cast<int>(m_rows.size()); }
    const row& at(int i) const { return m_rows[static_cast<std::size_t>(i)]; }
    bool peers(int i, int j) const { return by_key::compare(at(i), at(j)) == 0; }

    template <class Belongs, class Value> std::int64_t sum(Belongs&& belongs, Value&& value) const {
        std::int64_t total = 0;
        for (int j = 0; j < size(); ++j) {
            total += belongs(j) ? value(at(j)) : 0;
        }
        return total;
    }

    // Is row j at most one key before row i, and at most two behind it? Keys descend.
    bool is_close(int i, int j) const {
        if (!at(i).key.present || !at(j).key.present) {
            return at(i).key.present == at(j).key.present;
        }
        return at(j).key.value <= at(i).key.value + 1 && at(j).key.value >= at(i).key.value - 2;
    }

    int tile(int i) const {
        for (int part = 0, place = 0; part < 3; ++part) {
            place += size() / 3 + (part < size() % 3);
            if (i < place) {
                return part + 1;
            }
        }
        return 0;
    }

    results of(int i) const {
        const auto one = [](const row&) { return std::int64_t{1}; };
        const auto value = [](const row& r) { return r.value; };
        const auto has_key = [](const row& r) { return std::int64_t{r.key.present}; };
        results x;
        x.number = i + 1;
        x.rank = 1 + sum([&](int j) { return by_key::compare(at(j), at(i)) < 0; }, one);
        x.dense = 1 + sum([&](int j) { return j < i && !peers(j, j + 1); }, one);
        const auto up_to = sum([&](int j) { return by_key::compare(at(j), at(i)) <= 0; }, one);
        x.percent = size() == 1 ? 0 : static_cast<double>(x.rank - 1) / (size() - 1);
        x.share = static_cast<double>(up_to) / size();
        x.tile = tile(i);
        x.before = i < 2 ? tg::nullable<std::int64_t>() : tg::nullable<std::int64_t>(at(i - 2).value);
        x.behind = at(std::min(i + 1, size() - 1)).value;
        x.running = sum([&](int j) { return by_key::compare(at(j), at(i)) <= 0; }, value);
        if (i > 0) {
            x.sliding = sum([&](int j) { return j >= i - 3 && j < i; }, value);
        }
        x.peers = sum([&](int j) { return is_close(i, j); }, has_key);
        x.near = sum([&](int j) { return is_close(i, j); }, one);
        for (int j = std::max(0, i - 1); j < std::min(size(), i + 3); ++j) {
            if (at(j).name.present && (!x.least.present || at(j).name.value < x.least.value)) {
                x.least = at(j).name;
            }
        }
        x.third = up_to < 3 ? tg::nullable<std::int64_t>() : tg::nullable<std::int64_t>(at(2).value);
        x.total = sum([](int) { return true; }, value);
        x.rest = sum([&](int j) { return j >= i; }, value);
        const auto dense = [&](int i_) { return sum([&](int j) { return j < i_ && !peers(j, j + 1); }, one); };
        x.groups = sum([&](int j) { return dense(j) >= dense(i) - 2 && dense(j) <= dense(i) + 1; }, value);
        for (int j = 0; j < size() && by_key::compare(at(j), at(i)) <= 0; ++j) {
            x.last_known = at(j).name.present ? at(j).name : x.last_known;
        }
        int known = 0;
        for (int j = i - 1; j >= 0 && known < 2; --j) {
            known += at(j).name.present;
            x.known_before = known == 2 ? at(j).name : x.known_before;
        }
        x.known_behind = at(i).name;
        for (int j = size() - 1; j > i; --j) {
            x.known_behind = at(j).name.present ? at(j).name : x.known_behind;
        }
        return x;
    }

    std::vector<row> m_rows;
};

// --- changes --------------------------------------------------------------------------------------------------------

using bag = std::map<line, std::int64_t>;

struct watched {
    windowed window;
    bag told; // what was said to be there
    tg::overflow_flag flag;
    int news = 0;

    void settle() {
        news = 0;
        window.settle(
            flag, [&](const row& r, const results& x) { tell(shown_all(r, x), -1); },
            [&](const row& r, const results& x) { tell(shown_all(r, x), 1); });
    }
    void tell(const line& what, std::int64_t weight) {
        ++news;
        if ((told[what] += weight) == 0) {
            told.erase(what);
        }
    }
};

static row random_row(random_source& random, int groups) {
    row r;
    r.group = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(groups)));
    if (random.below(4) != 0) {
        r.key = static_cast<std::int32_t>(random.below(7));
    }
    r.value = static_cast<std::int64_t>(random.below(5)) - 2;
    if (random.below(3) != 0) {
        r.name = std::string(random.below(2) * 20, 'n') + static_cast<char>('a' + random.below(3));
    }
    return r;
}

static void judge(const watched& now, const std::map<line, std::pair<row, std::int64_t>>& rows) {
    std::map<std::int32_t, std::vector<row>> partitions;
    std::size_t owed = 0;
    for (const auto& [_, entry] : rows) {
        owed += entry.second < 0;
        for (std::int64_t i = 0; i < entry.second; ++i) {
            partitions[entry.first.group].push_back(entry.first);
        }
    }
    bag expected;
    std::size_t size = 0;
    for (const auto& [_, members] : partitions) {
        size += members.size();
        for (const line& each : model(members).lines()) {
            ++expected[each];
        }
    }
    CHECK(now.told == expected);
    CHECK(now.window.size() == size + owed);
}

// `legal`: rows go only if they are there.
static void fuzz(std::uint64_t seed, int groups, int steps, int most, bool legal) {
    random_source random(seed);
    watched now;
    std::map<line, std::pair<row, std::int64_t>> rows;
    for (int step = 0; step < steps; ++step) {
        for (auto changes = 1 + random.below(static_cast<std::uint64_t>(most)); changes > 0; --changes) {
            row r = random_row(random, groups);
            std::int64_t weight = 1 + static_cast<std::int64_t>(random.below(8) == 0);
            if (random.below(2) == 0 && !rows.empty()) {
                auto chosen = rows.begin();
                std::advance(chosen, static_cast<std::ptrdiff_t>(random.below(rows.size())));
                r = chosen->second.first;
                weight = legal ? -std::min(weight, chosen->second.second) : -weight;
            }
            const line name = shown_row(r);
            auto& entry = rows.try_emplace(name, r, 0).first->second;
            if ((entry.second += weight) == 0) {
                rows.erase(name);
            }
            now.window.change(r, weight);
        }
        now.settle();
        judge(now, rows);
    }
    for (const auto& [_, entry] : rows) {
        now.window.change(entry.first, -entry.second);
    }
    now.settle();
    CHECK(now.told.empty());
    CHECK(now.window.size() == 0);
    CHECK(now.window.partitions() == 0);
    CHECK(!now.flag.set);
}

CASE(single_changes_agree_with_the_model) {
    fuzz(1, 2, 400, 1, true);
    fuzz(2, 1, 300, 1, true);
}

CASE(batches_agree_with_the_model) {
    fuzz(3, 3, 60, 4, true);
    fuzz(4, 2, 40, 30, true);
    fuzz(5, 1, 20, 60, true);
}

CASE(rows_that_go_before_they_come_are_owed) {
    fuzz(6, 2, 200, 3, false);
    fuzz(7, 1, 40, 30, false);
}

CASE(what_cancels_in_a_batch_is_no_news) {
    watched now;
    const row r{1, 3, 5, std::string("x")};
    now.window.change(r, 1);
    now.window.change(r, -1);
    now.settle();
    CHECK(now.news == 0);
    CHECK(now.window.partitions() == 0);
}
