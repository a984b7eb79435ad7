#include "check.hpp"
#include "random.hpp"

#include <toastergen/text.hpp>

#include <map>

using tg::text;
using tg::text_arena;

CASE(strings_of_every_length_around_the_borders_come_back) {
    text_arena arena;
    for (std::size_t size = 0; size < 600; ++size) {
        const std::string original(size, static_cast<char>('a' + size % 26));
        const text stored = arena.store(original);
        CHECK(arena.view(stored) == original);
        CHECK(arena.equal(stored, original));
        CHECK(!arena.equal(stored, original + "x"));
    }
}

CASE(equality_looks_beyond_size_and_prefix) {
    text_arena arena;
    const text stored = arena.store("prefix, then something A");
    CHECK(!arena.equal(stored, "prefix, then something B"));
    CHECK(!arena.equal(stored, "Prefix, then something A"));
    CHECK(arena.store(std::string_view("a\0b", 3)).size == 3);
}

CASE(short_strings_need_no_arena) {
    text_arena arena;
    arena.store("twelve bytes");
    CHECK(arena.bytes() == 0);
    arena.store("thirteen byte");
    CHECK(arena.bytes() > 0);
}

CASE(released_blocks_are_used_again) {
    text_arena arena;
    for (int i = 0; i < 100; ++i) {
        arena.store(std::string(50, 'x'));
    }
    const std::size_t before = arena.bytes();
    for (int i = 0; i < 10000; ++i) {
        text passing = arena.store(std::string(50, 'y'));
        arena.release(passing);
        CHECK(passing.size == 0);
    }
    CHECK(arena.bytes() <= before + 1024);
}

CASE(strings_beyond_a_chunk_go_back_to_the_system) {
    text_arena arena;
    const std::string large(3'000'000, 'z');
    const text small = arena.store("some small string");
    text stored = arena.store(large);
    CHECK(arena.view(stored) == large);
    CHECK(arena.bytes() > large.size());
    arena.release(stored);
    CHECK(arena.bytes() < large.size());
    stored = arena.store(large);
    CHECK(arena.view(stored) == large);
    CHECK(arena.view(small) == "some small string");
}

CASE(every_large_size_goes_back) {
    text_arena arena;
    const text small = arena.store("some small string");
    const std::size_t before = arena.bytes();
    for (int round = 0; round < 20; ++round) {
        for (const std::size_t size : {65'536u, 65'537u, 70'000u, 140'000u, 300'000u}) {
            text stored = arena.store(std::string(size, 'z'));
            CHECK(arena.view(stored).size() == size);
            arena.release(stored);
        }
    }
    CHECK(arena.bytes() < before + 400'000);
    CHECK(arena.view(small) == "some small string");
}

CASE(a_cleared_arena_starts_over) {
    text_arena arena;
    for (int i = 0; i < 5000; ++i) {
        arena.store(std::string(100, 'x'));
    }
    arena.clear();
    CHECK(arena.bytes() < 100'000);
    const text again = arena.store(std::string(100, 'y'));
    CHECK(arena.view(again) == std::string(100, 'y'));
}

CASE(random_stores_and_releases_disturb_no_other_string) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        random_source random(seed);
        text_arena arena;
        std::map<std::uint64_t, std::pair<text, std::string>> kept;
        for (int step = 0; step < 4000; ++step) {
            const std::uint64_t name = random.below(300);
            if (const auto found = kept.find(name); found != kept.end()) {
                CHECK(arena.view(found->second.first) == found->second.second);
                arena.release(found->second.first);
                kept.erase(found);
            } else {
                const std::size_t size = random.below(50) == 0 ? 70'000 + random.below(9) : random.below(200);
                const std::string original(size, static_cast<char>('a' + random.below(26)));
                kept[name] = {arena.store(original), original};
            }
        }
        for (const auto& [name, entry] : kept) {
            CHECK(arena.view(entry.first) == entry.second);
        }
    }
}
