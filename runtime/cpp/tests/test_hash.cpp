#include "check.hpp"

#include <toastergen/hash.hpp>

#include <functional>
#include <set>

// With 4096 keys in 4096 places a random hash leaves about 37 % of the places empty; clustering leaves many more.
static std::size_t places_used(const std::function<std::uint64_t(std::int64_t)>& hash) {
    std::set<std::uint32_t> places;
    for (std::int64_t key = 0; key < 4096; ++key) {
        places.insert(tg::short_hash(hash(key)) % 4096);
    }
    return places.size();
}

CASE(regular_keys_spread) {
    for (int shift = 0; shift < 50; ++shift) {
        CHECK(places_used([=](std::int64_t key) { return tg::hash_of(key << shift); }) > 2000);
    }
    CHECK(places_used([](std::int64_t key) { return tg::hash_of(static_cast<double>(key)); }) > 2000);
    CHECK(places_used([](std::int64_t key) { return tg::hash_of(key % 64, key / 64); }) > 2000);
    CHECK(places_used([](std::int64_t key) { return tg::hash_of(tg::int128{key} << 64); }) > 2000);
    CHECK(places_used([](std::int64_t key) { return tg::hash_of(std::string_view(std::to_string(key))); }) > 2000);
}

CASE(fields_and_their_order_matter) {
    CHECK(tg::hash_of(std::int64_t{1}, std::int64_t{2}) != tg::hash_of(std::int64_t{2}, std::int64_t{1}));
    CHECK(tg::hash_of(std::string_view("ab"), std::string_view("c")) !=
          tg::hash_of(std::string_view("a"), std::string_view("bc")));
    CHECK(tg::hash_of(true) != tg::hash_of(false));
    CHECK(tg::hash_of(-0.0) == tg::hash_of(0.0));
}

CASE(every_byte_of_a_string_matters) {
    for (std::size_t size = 1; size < 70; ++size) {
        const std::string base(size, 'a');
        std::set<std::uint64_t> hashes{tg::hash_of(std::string_view(base))};
        for (std::size_t at = 0; at < size; ++at) {
            std::string changed = base;
            changed[at] = 'b';
            hashes.insert(tg::hash_of(std::string_view(changed)));
        }
        CHECK(hashes.size() == size + 1);
    }
}
