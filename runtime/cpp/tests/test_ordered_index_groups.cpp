#include "ordered_model.hpp"

struct colliding_hash {
    template <class... Values> std::uint32_t operator()(Values... values) const {
        return 0xffffffffu - tg::short_hash(tg::hash_of(values...)) % 3;
    }
};

using group_key = tg::ordered_key<tg::text, std::int32_t>;
template <class Tuning, class Hash>
using grouped = tg::grouped_ordered_index<group_key, tg::ordered_key<std::int64_t>, three_slots, Tuning, Hash>;
using owned_group = std::tuple<std::string, std::int32_t>;
using models = std::map<owned_group, ordered_model<int64_keys>>;

static std::tuple<std::string_view, std::int32_t> param(const owned_group& group) {
    return {std::get<0>(group), std::get<1>(group)};
}

template <class Index> static void compare_all(const Index& index, const models& expected) {
    std::size_t entries = 0;
    std::size_t groups = 0;
    for (const auto& [group, model] : expected) {
        entries += model.entries.size();
        groups += model.entries.empty() ? 0 : 1;
        model.compare_order(index.group(param(group)));
    }
    CHECK(index.size() == entries && index.groups() == groups);
    index.for_each_group([&](const auto& group, const auto& view) {
        const auto model = expected.find({std::string(std::get<0>(group)), std::get<1>(group)});
        CHECK(model != expected.end() && model->second.entries.size() == view.size());
        --groups;
    });
    CHECK(groups == 0);
}

// `spread` groups, `keys` keys in each.
template <class Tuning, class Hash>
static void fuzz(std::uint64_t seed, int steps, std::uint64_t spread, std::uint64_t keys) {
    random_source random(seed);
    grouped<Tuning, Hash> index;
    models expected;
    for (int step = 0; step < steps; ++step) {
        tg::overflow_flag flag;
        const owned_group group{random.text(), static_cast<std::int32_t>(random.below(spread))};
        ordered_model<int64_keys>& model = expected[group];
        const auto key = static_cast<std::int64_t>(random.below(keys));
        const bool known = model.entries.contains(key);
        const three_values values = random_values(random, true);
        const auto record = static_cast<std::uint32_t>(step);
        const bool shrinking = step / 2000 % 3 == 2;
        if (random.below(10) < (shrinking ? 9u : 3u)) {
            CHECK(index.erase(flag, param(group), key) == known);
            model.entries.erase(key);
        } else if (step % 2 == 0) {
            CHECK(index.add(flag, param(group), key, values) == known);
            if (known) {
                model.add(key, values);
            }
        } else {
            CHECK(index.insert_or_add(flag, param(group), key, values, record) != known);
            model.add(key, values);
            model.entries[key].record = known ? model.entries[key].record : record;
        }
        if (step % 17 == 0) {
            model.compare(index.group(param(group)), key, static_cast<std::int64_t>(random.below(keys)), random);
        }
        if (step % 1000 == 999) {
            compare_all(index, expected);
        }
        if (random.below(5000) == 0) {
            index.clear();
            expected.clear();
        }
    }
}

CASE(few_large_groups_agree_with_maps) {
    fuzz<small_nodes, tg::field_hash>(1, 12000, 1, 60);
    fuzz<tg::ordered_tuning, tg::field_hash>(2, 24000, 1, 400);
}

CASE(many_small_groups_agree_with_maps) {
    fuzz<small_nodes, tg::field_hash>(3, 12000, 60, 10);
    fuzz<tg::ordered_tuning, tg::field_hash>(4, 12000, 20, 30);
}

CASE(groups_agree_with_maps_when_hashes_collide) {
    fuzz<small_nodes, colliding_hash>(5, 8000, 8, 12);
}

CASE(an_unknown_group_is_empty) {
    tg::grouped_ordered_index<tg::ordered_key<std::int64_t>, tg::ordered_key<double>, tg::ordered_slots<std::int64_t>>
        index;
    tg::overflow_flag flag;
    CHECK(index.insert(flag, 1, 2.5, {7}, 3));
    CHECK(!index.insert(flag, 1, 2.5, {8}) && index.insert(flag, 2, 2.5, {8}));
    CHECK(index.group(1).first().record() == 3 && std::get<0>(index.group(2).total(flag)) == 8);
    CHECK(index.group(3).empty() && !index.group(3).first() && std::get<0>(index.group(3).total(flag)) == 0);
    CHECK(!index.erase(flag, 3, 2.5) && !index.erase(flag, 1, 9.0) && !index.add(flag, 3, 2.5, {1}));
    CHECK(index.erase(flag, 1, 2.5) && index.groups() == 1 && index.size() == 1);
}

CASE(groups_of_doubles_have_one_zero_and_one_nan) {
    tg::grouped_ordered_index<tg::ordered_key<double>, tg::ordered_key<std::int32_t>, tg::ordered_slots<>> index;
    tg::overflow_flag flag;
    index.insert(flag, 0.0, 1, {});
    index.insert(flag, -0.0, 2, {});
    index.insert(flag, std::nan(""), 1, {});
    index.insert(flag, -std::nan("1"), 2, {});
    CHECK(index.groups() == 2 && index.group(0.0).size() == 2 && index.group(std::nan("2")).size() == 2);
}

using plain_groups = tg::grouped_ordered_index<tg::ordered_key<std::int64_t>, tg::ordered_key<std::int64_t>,
                                               tg::ordered_slots<std::int64_t>>;

CASE(small_groups_cost_little) {
    plain_groups index;
    tg::overflow_flag flag;
    for (std::int64_t group = 0; group < 100'000; ++group) {
        index.insert(flag, group, group, {1});
    }
    CHECK(index.bytes() / index.groups() < 200);
    CHECK(index.stats().leaves == 100'000);
}

CASE(groups_that_shrink_give_memory_to_others) {
    plain_groups index;
    tg::overflow_flag flag;
    for (std::int64_t group = 0; group < 1000; ++group) {
        for (std::int64_t key = 0; key < 60; ++key) {
            index.insert(flag, group, key, {1});
        }
        for (std::int64_t key = 1; key < 60; ++key) {
            index.erase(flag, group, key);
        }
    }
    CHECK(index.bytes() / index.groups() < 400); // wide leaves went from group to group
    CHECK(index.size() == 1000 && std::get<0>(index.group(5).total(flag)) == 1);
}
