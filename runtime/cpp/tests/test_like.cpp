#include "check.hpp"
#include "random.hpp"

#include <toastergen/like.hpp>

#include <string_view>

using tg::like;

// The definition, read literally: slow and plainly right. ASCII only.
static bool like_by_definition(std::string_view text, std::string_view pattern) {
    if (pattern.empty()) {
        return text.empty();
    }
    if (pattern[0] == '%') {
        return like_by_definition(text, pattern.substr(1)) ||
               (!text.empty() && like_by_definition(text.substr(1), pattern));
    }
    return !text.empty() && (pattern[0] == '_' || pattern[0] == text[0]) &&
           like_by_definition(text.substr(1), pattern.substr(1));
}

CASE(wildcards) {
    CHECK(like("PROMO BRUSHED", "PROMO%", '\0'));
    CHECK(like("abc", "abc", '\0'));
    CHECK(!like("abc", "ab", '\0'));
    CHECK(!like("ab", "abc", '\0'));
    CHECK(like("", "%%", '\0'));
    CHECK(!like("", "_", '\0'));
    CHECK(like("aXbXc", "a%X_", '\0'));
    CHECK(!like("special packages requests x", "%special%requests", '\0'));
}

CASE(underscore_matches_one_code_point) {
    CHECK(like("é", "_", '\0'));
    CHECK(!like("é", "__", '\0'));
    CHECK(like("a€b", "a_b", '\0'));
    CHECK(like("x😀", "%_", '\0'));
    CHECK(!like("😀", "%_%_", '\0'));
}

CASE(escape_makes_wildcards_plain) {
    CHECK(like("50%", "50!%", '!'));
    CHECK(!like("500", "50!%", '!'));
    CHECK(like("a_b", "a!_b", '!'));
    CHECK(!like("axb", "a!_b", '!'));
    CHECK(like("a!b", "a!!b", '!'));
    CHECK(like("100% a", "%!%%", '!'));
}

CASE(malformed_input_is_harmless) {
    // Heap strings without terminator, so that the sanitizer sees any read past the end.
    const std::string bytes("\xff\xc3", 2);
    CHECK(like(bytes, "__", '\0'));
    CHECK(like(std::string("x!"), std::string("x!"), '!'));
    CHECK(!like(std::string("x"), std::string("x!"), '!'));
    CHECK(like(std::string("\x80\x80", 2), "%", '\0'));
}

CASE(agrees_with_the_definition) {
    random_source random(7);
    for (int round = 0; round < 20000; ++round) {
        std::string text(random.below(9), ' ');
        std::string pattern(random.below(7), ' ');
        for (char& letter : text) {
            letter = "ab"[random.below(2)];
        }
        for (char& letter : pattern) {
            letter = "ab_%"[random.below(4)];
        }
        CHECK(like(text, pattern, '\0') == like_by_definition(text, pattern));
    }
}
