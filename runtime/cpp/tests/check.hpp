// A test framework of one screen: CASE registers, CHECK counts, main runs. One executable per test file.
#pragma once

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace check {

struct test_case {
    const char* name;
    void (*run)();
};

inline std::vector<test_case>& cases() {
    static std::vector<test_case> all;
    return all;
}

inline int& failures() {
    static int count = 0;
    return count;
}

struct registration {
    registration(const char* name, void (*run)()) { cases().push_back({name, run}); }
};

inline void report(bool holds, const char* text, const char* file, int line) {
    if (!holds) {
        ++failures();
        std::fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, text);
    }
}

// The message of the `Error` that `action` throws; anything else fails the test.
template <class Error, class Action> std::string message_of(Action&& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    report(false, "an error was expected", __FILE__, __LINE__);
    return "(no error)";
}

inline int run_all() {
    for (const test_case& test : cases()) {
        const int before = failures();
        try {
            test.run();
        } catch (const std::exception& error) {
            ++failures();
            std::fprintf(stderr, "unexpected exception: %s\n", error.what());
        }
        std::fprintf(stderr, "%s %s\n", failures() == before ? "ok  " : "FAIL", test.name);
    }
    return failures() == 0 && !cases().empty() ? 0 : 1;
}

} // namespace check

#define CASE(name)                                                                                                     \
    static void name();                                                                                                \
    static const check::registration registered_##name{#name, name};                                                   \
    static void name()

// Variadic, so that commas of template arguments need no parentheses.
#define CHECK(...) check::report(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)

int main() {
    return check::run_all();
}
