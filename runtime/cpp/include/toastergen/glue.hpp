// From a generated engine class to the C table of abi.h: checks, atomicity, and no exception across the border.
#pragma once

#include "abi.h"
#include "events.hpp"

#include <new>
#include <string>

namespace tg {

namespace detail {

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
        return self.guarded([&] { self.m_events.row(relation, values, count, weight); });
    }

    static int update_row(tg_engine* handle, std::uint32_t relation, const tg_value* before, std::uint64_t before_count,
                          const tg_value* after, std::uint64_t after_count) {
        border& self = *as_border(handle);
        return self.guarded([&] { self.m_events.update(relation, before, before_count, after, after_count); });
    }

    static int upsert_row(tg_engine* handle, std::uint32_t relation, const tg_value* values, std::uint64_t count) {
        border& self = *as_border(handle);
        return self.guarded([&] { self.m_events.upsert(relation, values, count); });
    }

    static int delete_key(tg_engine* handle, std::uint32_t relation, const tg_value* key, std::uint64_t count) {
        border& self = *as_border(handle);
        return self.guarded([&] { self.m_events.erase_key(relation, key, count); });
    }

    static int apply_batch(tg_engine* handle, std::uint32_t relation, const ArrowSchema* schema,
                           const ArrowArray* array, const std::int64_t* weights) {
        border& self = *as_border(handle);
        return self.guarded([&] { self.m_events.rows(relation, schema, array, weights); });
    }

    static int apply_operations(tg_engine* handle, std::uint32_t relation, const ArrowSchema* schema,
                                const ArrowArray* array, const std::uint8_t* operations) {
        border& self = *as_border(handle);
        return self.guarded([&] { self.m_events.operations(relation, schema, array, operations); });
    }

    static int export_view(tg_engine* handle, std::uint32_t view, ArrowSchema* schema, ArrowArray* array) {
        border& self = *as_border(handle);
        return self.guarded([&] {
            if (view >= Engine::view_count()) {
                throw argument_error("there is no view " + std::to_string(view));
            }
            table_builder out = Engine::view_builder(view);
            self.m_events.engine().export_view(view, out);
            out.finish(schema, array);
        });
    }

    static const char* stats(tg_engine* handle) {
        border& self = *as_border(handle);
        try {
            self.m_stats.clear();
            self.m_events.add_stats(self.m_stats);
            return self.m_stats.c_str();
        } catch (...) {
            return "{}";
        }
    }

    static const char* last_error(const tg_engine* handle) {
        return reinterpret_cast<const border*>(handle)->m_error.c_str();
    }

private:
    border() { m_error.reserve(256); }

    static border* as_border(tg_engine* handle) { return reinterpret_cast<border*>(handle); }
    static tg_engine* as_handle(border* self) { return reinterpret_cast<tg_engine*>(self); }

    template <class Work> int guarded(Work&& work) noexcept {
        if (m_events.is_torn()) {
            return fail(TG_INTERNAL,
                        "this engine failed in the middle of a change and holds half of it; create a new one");
        }
        try {
            work();
            return TG_OK;
        } catch (const argument_error& error) {
            return fail(TG_BAD_ARGUMENT, error.what());
        } catch (const unmatched_error& error) {
            return fail(TG_UNMATCHED, error.what());
        } catch (const key_error& error) {
            return fail(TG_KEY, error.what());
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

    events<Engine> m_events;
    std::string m_error;
    std::string m_stats;
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
        .update_row = border::update_row,
        .upsert_row = border::upsert_row,
        .delete_key = border::delete_key,
        .apply_operations = border::apply_operations,
    };
    return &api;
}

} // namespace tg
