// From a generated engine class to the C table of abi.h: checks, atomicity, and no exception across the border.
//
// Triggers compute with wrapping arithmetic and only raise a flag when a result leaves its type. The state is then a
// ring modulo 2^n, so applying the opposite change takes a failed one back exactly.
#pragma once

#include "abi.h"
#include "arrow.hpp"
#include "relation.hpp"
#include "row_batch.hpp"
#include "row_check.hpp"

#include <concepts>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>

namespace tg {

template <class E>
concept engine_class =
    std::default_initializable<E> && requires(E engine, const E& fixed, std::uint32_t index, const tg_value* values,
                                              const batch& rows, table_builder& out, std::string& json) {
        { E::name } -> std::convertible_to<const char*>;
        { E::schema_json } -> std::convertible_to<const char*>;
        { E::relations() } -> std::convertible_to<std::span<const relation_spec>>;
        { E::view_count() } -> std::convertible_to<std::size_t>;
        { E::view_builder(index) } -> std::same_as<table_builder>;
        { fixed.overflowed() } -> std::convertible_to<bool>;
        { fixed.unreadable() } -> std::convertible_to<bool>;
        engine.clear_overflow();
        engine.apply_row(index, values, std::int64_t{1});
        engine.apply_batch(index, rows);
        fixed.export_view(index, out);
        fixed.stats(json);
    };

namespace detail {

struct overflow_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

template <engine_class Engine> class border {
public:
    static tg_engine* create() {
        try {
            return as_handle(new border);
        } catch (...) {
            return nullptr;
        }
    }

    static void destroy(tg_engine* handle) { delete as_border(handle); }

    static int apply_row(tg_engine* handle, std::uint32_t relation, const tg_value* values, std::uint64_t count,
                         std::int64_t weight) {
        border& self = *as_border(handle);
        return self.guarded([&] { self.row(relation, values, count, weight); });
    }

    static int apply_batch(tg_engine* handle, std::uint32_t relation, const ArrowSchema* schema,
                           const ArrowArray* array, const std::int64_t* weights) {
        border& self = *as_border(handle);
        return self.guarded([&] {
            const relation_spec& spec = relation_at(relation);
            if (schema == nullptr || array == nullptr || schema->release == nullptr || array->release == nullptr) {
                throw argument_error("the batch is missing or was already released");
            }
            const batch rows = named(spec, [&] {
                batch checked{*schema, *array, weights, spec.columns};
                check_batch(spec, checked);
                return checked;
            });
            self.refuse_late(spec);
            for (std::size_t row = 0; spec.append_only && weights != nullptr && row < rows.size(); ++row) {
                refuse_delete(spec, weights[row]);
            }
            self.change_batch(relation, rows);
        });
    }

    static int export_view(tg_engine* handle, std::uint32_t view, ArrowSchema* schema, ArrowArray* array) {
        border& self = *as_border(handle);
        return self.guarded([&] {
            if (view >= Engine::view_count()) {
                throw argument_error("there is no view " + std::to_string(view));
            }
            table_builder out = Engine::view_builder(view);
            self.m_engine.export_view(view, out);
            out.finish(schema, array);
        });
    }

    static const char* stats(tg_engine* handle) {
        border& self = *as_border(handle);
        try {
            self.m_stats.clear();
            self.m_engine.stats(self.m_stats);
            return self.m_stats.c_str();
        } catch (...) {
            return "{}";
        }
    }

    static const char* last_error(const tg_engine* handle) {
        return reinterpret_cast<const border*>(handle)->m_error.c_str();
    }

private:
    // Up to here repeating the single-row trigger is cheaper than setting up a batch.
    static constexpr std::int64_t most_repeats = 16;

    border() { m_error.reserve(256); }

    static border* as_border(tg_engine* handle) { return reinterpret_cast<border*>(handle); }
    static tg_engine* as_handle(border* self) { return reinterpret_cast<tg_engine*>(self); }

    static const relation_spec& relation_at(std::uint32_t relation) {
        const std::span<const relation_spec> all = Engine::relations();
        if (relation >= all.size()) {
            throw argument_error("there is no relation " + std::to_string(relation));
        }
        return all[relation];
    }

    static void refuse_delete(const relation_spec& spec, std::int64_t weight) {
        if (spec.append_only && weight < 0) {
            throw data_error("relation \"" + std::string(spec.name) +
                             "\": rows of an APPEND ONLY stream cannot be deleted");
        }
    }

    // The triggers of tables do not look at streams: nothing may be there yet.
    void refuse_late(const relation_spec& spec) const {
        if (spec.is_table && m_started != nullptr) {
            throw data_error("relation \"" + std::string(spec.name) + "\": a table cannot change after stream \"" +
                             m_started + "\" has; load tables first, or declare it as a STREAM");
        }
    }

    void row(std::uint32_t relation, const tg_value* values, std::uint64_t count, std::int64_t weight) {
        const relation_spec& spec = relation_at(relation);
        check_row(spec, values, count);
        refuse_delete(spec, weight);
        refuse_late(spec);
        if (weight >= -most_repeats && weight <= most_repeats) {
            changing(spec, [&](std::int64_t sign) {
                if (sign < 0 && spec.append_only) { // no trigger deletes a single row
                    const row_batch undo(spec, values, -weight);
                    m_engine.apply_batch(relation, undo.rows(spec.columns));
                    return;
                }
                repeat(relation, values, sign * weight);
            });
            return;
        }
        const row_batch one(spec, values, weight);
        change_batch(relation, named(spec, [&] { return one.rows(spec.columns); }));
    }

    void repeat(std::uint32_t relation, const tg_value* values, std::int64_t weight) {
        const std::int64_t step = weight < 0 ? -1 : 1;
        for (std::int64_t done = 0; done != weight; done += step) {
            m_engine.apply_row(relation, values, step);
        }
    }

    void change_batch(std::uint32_t relation, const batch& rows) {
        changing(relation_at(relation),
                 [&](std::int64_t sign) { m_engine.apply_batch(relation, sign < 0 ? rows.inverse() : rows); });
    }

    // Runs a change; on overflow runs its opposite, which restores the state, and reports.
    template <class Change> void changing(const relation_spec& spec, Change&& change) {
        m_torn = true; // until the change is through: an exception from inside leaves half of it behind
        change(std::int64_t{1});
        const bool overflow = m_engine.overflowed();
        const bool unreadable = m_engine.unreadable();
        if (overflow) {
            change(std::int64_t{-1});
            m_engine.clear_overflow();
        }
        m_torn = false;
        if (unreadable) {
            throw data_error("a CAST met a text that is no value of its type; the change was taken back");
        }
        if (overflow) {
            throw overflow_error("a sum or an expression left the range of its type; the change was taken back");
        }
        if (!spec.is_table && m_started == nullptr) {
            m_started = spec.name;
        }
    }

    template <class Make> static auto named(const relation_spec& relation, Make&& make) {
        const auto prefix = [&] { return "relation \"" + std::string(relation.name) + "\", "; };
        try {
            return make();
        } catch (const argument_error& error) {
            throw argument_error(prefix() + error.what());
        } catch (const data_error& error) {
            throw data_error(prefix() + error.what());
        }
    }

    template <class Work> int guarded(Work&& work) noexcept {
        if (m_torn) {
            return fail(TG_INTERNAL,
                        "this engine failed in the middle of a change and holds half of it; create a new one");
        }
        try {
            work();
            return TG_OK;
        } catch (const argument_error& error) {
            return fail(TG_BAD_ARGUMENT, error.what());
        } catch (const data_error& error) {
            return fail(TG_BAD_DATA, error.what());
        } catch (const overflow_error& error) {
            return fail(TG_OVERFLOW, error.what());
        } catch (const std::overflow_error& error) { // a value of a view that its output column cannot hold
            return fail(TG_OVERFLOW, error.what());
        } catch (const std::bad_alloc&) {
            return fail(TG_NO_MEMORY, "out of memory");
        } catch (const std::exception& error) {
            return fail(TG_INTERNAL, error.what());
        } catch (...) {
            return fail(TG_INTERNAL, "an unknown failure");
        }
    }

    int fail(int status, const char* message) noexcept {
        try {
            m_error = message;
        } catch (...) {
            m_error.clear();
        }
        return status;
    }

    Engine m_engine;
    std::string m_error;
    std::string m_stats;
    bool m_torn = false;
    const char* m_started = nullptr; // the first stream that changed
};

} // namespace detail

// The table of functions of one engine class; lives as long as the library.
template <engine_class Engine> const tg_engine_api* make_api() {
    using border = detail::border<Engine>;
    static const tg_engine_api api{
        .abi_version = TG_ABI_VERSION,
        .struct_size = sizeof(tg_engine_api),
        .name = Engine::name,
        .schema_json = Engine::schema_json,
        .create = border::create,
        .destroy = border::destroy,
        .apply_row = border::apply_row,
        .apply_batch = border::apply_batch,
        .export_view = border::export_view,
        .stats = border::stats,
        .last_error = border::last_error,
    };
    return &api;
}

} // namespace tg
