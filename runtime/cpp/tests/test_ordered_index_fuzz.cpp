// Random and adversarial streams of changes, every question judged by a std::map.
#include "ordered_model.hpp"

static constexpr int key_count = 600; // number 600 is one more for doubles: NaN

// Which key to touch at a step, and how often touching means erasing.
struct order {
    int (*key)(int step, random_source& random);
    unsigned erase_percent;
    bool negative;
};

static int ascending(int step, random_source&) {
    return step % (key_count + 1);
}
static int descending(int step, random_source&) {
    return key_count - step % (key_count + 1);
}
static int anywhere(int, random_source& random) {
    return static_cast<int>(random.below(key_count + 1));
}
static int few(int, random_source& random) {
    return 290 + static_cast<int>(random.below(12));
}
// From both ends to the middle.
static int inwards(int step, random_source&) {
    const int place = step % (key_count + 1);
    return place % 2 == 0 ? place / 2 : key_count - place / 2;
}

static constexpr order orders[] = {
    {ascending, 5, false}, {descending, 5, false}, {anywhere, 30, false},
    {anywhere, 55, true},  {few, 45, true},        {inwards, 10, false},
};

template <class Index, class Keys>
static void change(Index& index, ordered_model<Keys>& model, int number, bool erases, const three_values& values,
                   std::uint32_t record) {
    tg::overflow_flag flag;
    const auto key = Keys::make(number);
    const bool known = model.entries.contains(key);
    if (erases) {
        CHECK(index.erase(flag, Keys::param(key)) == known);
        model.entries.erase(key);
    } else if (record % 3 == 0) {
        CHECK(index.add(flag, Keys::param(key), values) == known);
        if (known) {
            model.add(key, values);
        }
    } else if (record % 3 == 1) {
        CHECK(index.insert(flag, Keys::param(key), values, record) != known);
        if (!known) {
            model.add(key, values);
            model.entries[key].record = record;
        }
    } else {
        CHECK(index.insert_or_add(flag, Keys::param(key), values, record) != known);
        model.add(key, values);
        model.entries[key].record = known ? model.entries[key].record : record;
    }
    CHECK(!flag.set);
}

template <class Keys, class Tuning> static void fuzz(const order& kind, std::uint64_t seed, int steps) {
    random_source random(seed);
    tg::ordered_index<typename Keys::key, three_slots, Tuning> index;
    ordered_model<Keys> model;
    for (int step = 0; step < steps; ++step) {
        const int key = kind.key(step, random);
        // Streams end with a phase that empties the index.
        const bool erases = random.below(100) < (step > steps * 3 / 4 ? 90 : kind.erase_percent);
        change(index, model, key, erases, random_values(random, kind.negative), static_cast<std::uint32_t>(step));
        if (step % 23 == 0) {
            model.compare(index, Keys::make(anywhere(step, random)), Keys::make(anywhere(step, random)), random);
        }
        if (step % 301 == 0) {
            model.compare_order(index);
        }
        if (random.below(2500) == 0) {
            index.clear();
            model.entries.clear();
        }
    }
    while (!model.entries.empty()) {
        tg::overflow_flag flag;
        const auto key = model.entries.begin()->first;
        CHECK(index.erase(flag, Keys::param(key)));
        model.entries.erase(key);
    }
    model.compare(index, Keys::make(1), Keys::make(9), random);
    CHECK(index.stats().leaves == 0 && index.stats().inner_nodes == 0);
}

template <class Keys, class Tuning> static void fuzz_all(std::uint64_t seed, int steps) {
    for (const order& kind : orders) {
        fuzz<Keys, Tuning>(kind, seed++, steps);
    }
}

CASE(int32_keys_agree_with_a_map) {
    fuzz_all<int32_keys, small_nodes>(1, 4000);
}
CASE(int64_keys_agree_with_a_map) {
    for (const std::uint64_t seed : {20, 30, 40, 50}) {
        fuzz_all<int64_keys, small_nodes>(seed, 4000);
        fuzz_all<int64_keys, tg::ordered_tuning>(seed + 100, 4000);
    }
}
CASE(int128_keys_agree_with_a_map) {
    fuzz_all<int128_keys, small_nodes>(60, 4000);
}
CASE(double_keys_agree_with_a_map) {
    fuzz_all<double_keys, small_nodes>(70, 4000);
}
CASE(text_keys_agree_with_a_map) {
    fuzz_all<text_keys, small_nodes>(80, 4000);
    fuzz_all<text_keys, tg::ordered_tuning>(180, 4000);
}
CASE(composite_keys_agree_with_a_map) {
    fuzz_all<composite_keys, small_nodes>(90, 4000);
}
