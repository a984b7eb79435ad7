// The Python module around an engine's table of functions. Knows no query: compiled once, linked into every module.
#include "ingest.hpp"
#include "row.hpp"

#include <pybind11/pybind11.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>

namespace py = pybind11;

namespace toastergen::bindings {

namespace {

struct program {
    const tg_engine_api* api = nullptr;
    std::vector<relation> relations;
    std::vector<std::string> views;
};

// Static library, one copy per module: this is the program of the module it is linked into.
program& this_program() {
    // Never destroyed: it holds Python objects, and the interpreter is gone when static objects die.
    static auto* instance = new program;
    return *instance;
}

template <class Struct> void release_capsule(PyObject* capsule) {
    auto* held = static_cast<Struct*>(PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule)));
    if (held->release != nullptr) {
        held->release(held);
    }
    delete held;
}

template <class Struct> py::object to_capsule(std::unique_ptr<Struct> held, const char* name) {
    PyObject* capsule = PyCapsule_New(held.get(), name, release_capsule<Struct>);
    if (capsule == nullptr) {
        held->release(held.get());
        throw py::error_already_set();
    }
    (void)held.release();
    return py::reinterpret_steal<py::object>(capsule);
}

template <class Struct> const Struct* from_capsule(py::handle capsule, const char* name) {
    const void* pointer = PyCapsule_GetPointer(capsule.ptr(), name);
    if (pointer == nullptr) {
        PyErr_Clear();
        raise("DataError", std::string("expected an Arrow capsule \"") + name + '"',
              "pass what __arrow_c_array__ returns");
    }
    return static_cast<const Struct*>(pointer);
}

// One weight per row, as int64 in one piece.
class weight_buffer {
public:
    weight_buffer(py::handle source, std::int64_t rows) {
        if (source.is_none()) {
            return;
        }
        m_info = py::reinterpret_borrow<py::buffer>(source).request();
        if (m_info.ndim != 1 || m_info.itemsize != 8 || m_info.strides[0] != 8 || !is_signed(m_info.format)) {
            raise("DataError", "weights must be a contiguous array of int64", "convert them to int64 first");
        }
        if (m_info.size != rows) {
            raise("DataError", std::to_string(m_info.size) + " weights for " + std::to_string(rows) + " rows",
                  "give one weight per row");
        }
    }

    const std::int64_t* data() const { return static_cast<const std::int64_t*>(m_info.ptr); }

private:
    static bool is_signed(const std::string& format) {
        return format.size() <= 2 && (format.back() == 'l' || format.back() == 'q');
    }

    py::buffer_info m_info;
};

// As in SQL, case does not matter; relations that differ in case only cannot be declared.
bool same_name(std::string_view left, std::string_view right) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return std::ranges::equal(left, right, {}, lower, lower);
}

class engine {
public:
    engine() : m_api(this_program().api), m_handle(m_api->create()) {
        if (m_handle == nullptr) {
            throw std::bad_alloc();
        }
    }
    ~engine() { m_api->destroy(m_handle); }
    engine(const engine&) = delete;
    engine& operator=(const engine&) = delete;

    void insert(py::handle target, py::handle values) { apply_row(target, values, 1); }
    void erase(py::handle target, py::handle values) { apply_row(target, values, -1); }

    void apply_row(py::handle target, py::handle values, std::int64_t weight) {
        const std::uint32_t index = find_relation(target);
        // Taken out of the engine while it is filled: conversions run Python code, which may call this engine.
        row current = std::move(m_row);
        current.read(this_program().relations[index], values);
        change_row(current, [&] {
            return m_api->apply_row(m_handle, index, current.values().data(), current.values().size(), weight);
        });
    }

    void upsert(py::handle target, py::handle values) {
        const std::uint32_t index = find_relation(target);
        row current = std::move(m_row);
        current.read(this_program().relations[index], values);
        change_row(current, [&] {
            return m_api->upsert_row(m_handle, index, current.values().data(), current.values().size());
        });
    }

    void update(py::handle target, py::handle before, py::handle after) {
        const std::uint32_t index = find_relation(target);
        row old;
        old.read(this_program().relations[index], before);
        row current = std::move(m_row);
        current.read(this_program().relations[index], after);
        change_row(current, [&] {
            return m_api->update_row(m_handle, index, old.values().data(), old.values().size(), current.values().data(),
                                     current.values().size());
        });
    }

    void delete_key(py::handle target, py::handle key) {
        const std::uint32_t index = find_relation(target);
        row current = std::move(m_row);
        current.read_key(this_program().relations[index], key);
        change_row(current, [&] {
            return m_api->delete_key(m_handle, index, current.values().data(), current.values().size());
        });
    }

    void apply_operations(py::handle target, py::handle schema, py::handle array, py::handle operations) {
        const std::uint32_t index = find_relation(target);
        const auto* layout = from_capsule<ArrowSchema>(schema, "arrow_schema");
        const auto* rows = from_capsule<ArrowArray>(array, "arrow_array");
        const py::buffer_info codes = py::reinterpret_borrow<py::buffer>(operations).request();
        if (codes.itemsize != 1 || codes.size != rows->length) {
            raise("DataError", "operations must be one byte per row", "give one operation per row");
        }
        const auto* what = static_cast<const std::uint8_t*>(codes.ptr);
        std::string message;
        const int status =
            unlocked([&] { return m_api->apply_operations(m_handle, index, layout, rows, what); }, message);
        m_version.fetch_add(1);
        check(status, message);
    }

    void apply_arrow(py::handle target, py::handle schema, py::handle array, py::handle weights) {
        const std::uint32_t index = find_relation(target);
        const auto* layout = from_capsule<ArrowSchema>(schema, "arrow_schema");
        const auto* rows = from_capsule<ArrowArray>(array, "arrow_array");
        const weight_buffer factors(weights, rows->length);
        std::string message;
        const int status =
            unlocked([&] { return m_api->apply_batch(m_handle, index, layout, rows, factors.data()); }, message);
        m_version.fetch_add(1);
        check(status, message);
    }

    py::tuple export_view(py::handle target) {
        const std::uint32_t index = find_view(target);
        auto schema = std::make_unique<ArrowSchema>();
        auto array = std::make_unique<ArrowArray>();
        std::string message;
        const int status =
            unlocked([&] { return m_api->export_view(m_handle, index, schema.get(), array.get()); }, message);
        check(status, message);
        py::object layout = to_capsule(std::move(schema), "arrow_schema");
        return py::make_tuple(layout, to_capsule(std::move(array), "arrow_array"));
    }

    // Grows with every change that may have happened: equal numbers mean equal views.
    std::uint64_t version() const { return m_version.load(); }

    std::string stats() {
        std::string result;
        const py::gil_scoped_release release;
        const std::lock_guard lock(m_mutex);
        result = m_api->stats(m_handle);
        return result;
    }

private:
    // A row that takes longer than this is worth the cost of letting other threads run meanwhile.
    static constexpr std::chrono::microseconds slow{100};
    static constexpr unsigned sampled = 64;

    // One row usually takes less time than handing the interpreter's lock over and queueing for it again, which
    // under contention costs milliseconds. So it is kept, and rows are timed now and then to see whether that holds.
    template <class Change> int quick(const Change& change, std::string& message) {
        const std::lock_guard lock(m_mutex, std::adopt_lock);
        if (++m_calls % sampled != 0) {
            return finish(change(), message);
        }
        const auto start = std::chrono::steady_clock::now();
        const int status = change();
        m_slow_rows = std::chrono::steady_clock::now() - start > slow;
        return finish(status, message);
    }

    template <class Change> void change_row(row& current, const Change& change) {
        std::string message;
        const int status = m_slow_rows || !m_mutex.try_lock() ? unlocked(change, message) : quick(change, message);
        m_version.fetch_add(1);
        current.release();
        m_row = std::move(current);
        check(status, message);
    }

    // The engine's mutex is let go before the interpreter's lock is taken again: no order, no deadlock.
    template <class Change> int unlocked(const Change& change, std::string& message) {
        const py::gil_scoped_release release;
        const std::lock_guard lock(m_mutex);
        return finish(change(), message);
    }

    int finish(int status, std::string& message) const {
        if (status != TG_OK) {
            message = m_api->last_error(m_handle); // copied under the mutex
        }
        return status;
    }

    static void check(int status, const std::string& message) {
        switch (status) {
        case TG_OK:
            return;
        case TG_BAD_ARGUMENT:
        case TG_BAD_DATA:
            raise("DataError", message, "correct the data and apply it again; the engine is unchanged");
        case TG_UNMATCHED:
            raise("DataError", message,
                  "delete rows as they were inserted, or build with unmatched=allow; the engine is unchanged");
        case TG_KEY:
            raise("DataError", message, "replace the row with upsert or update; the engine is unchanged");
        case TG_OVERFLOW:
            raise("EngineError", message, "declare wider types, e.g. DECIMAL(38,s) or DOUBLE; the engine is unchanged");
        case TG_NO_MEMORY:
            raise("EngineError", message, "free memory or use a machine with more, and start a new engine");
        default:
            raise("EngineError", message, "start a new engine and apply the data again");
        }
    }

    static std::uint32_t find_relation(py::handle target) {
        const std::vector<relation>& all = this_program().relations;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (all[i].key.ptr() == target.ptr()) { // names in programs are interned: this is the usual way out
                return static_cast<std::uint32_t>(i);
            }
        }
        return find(target, "relation", all, [](const relation& item) { return item.name; });
    }

    static std::uint32_t find_view(py::handle target) {
        return find(target, "view", this_program().views, [](const std::string& item) { return item; });
    }

    template <class Items, class Name>
    static std::uint32_t find(py::handle target, const char* what, const Items& items, const Name& name) {
        if (PyLong_Check(target.ptr())) {
            const long index = PyLong_AsLong(target.ptr());
            PyErr_Clear();
            if (index >= 0 && static_cast<std::size_t>(index) < items.size()) {
                return static_cast<std::uint32_t>(index);
            }
        } else if (PyUnicode_Check(target.ptr())) {
            const auto wanted = py::cast<std::string>(target);
            for (std::size_t i = 0; i < items.size(); ++i) {
                if (same_name(wanted, name(items[i]))) {
                    return static_cast<std::uint32_t>(i);
                }
            }
        }
        std::string known;
        for (const auto& item : items) {
            known += (known.empty() ? "" : ", ") + name(item);
        }
        raise("DataError", std::string("there is no ") + what + ' ' + py::cast<std::string>(py::repr(target)),
              (std::string("this engine has: ") + known).c_str());
    }

    const tg_engine_api* m_api;
    tg_engine* m_handle;
    std::mutex m_mutex;
    row m_row;
    std::atomic<std::uint64_t> m_version = 0;
    unsigned m_calls = 0;
    bool m_slow_rows = false;
};

void fill(py::module_& module) {
    const tg_engine_api* api = this_program().api;
    module.attr("schema_json") = api->schema_json;
    module.attr("abi_version") = api->abi_version;
    module.attr("name") = api->name;
    // module_local: each module has its own class of this name, several engines live in one process.
    py::class_<engine>(module, "Engine", py::module_local(),
                       "The native engine. See toastergen.runtime for the friendly face.")
        .def(py::init<>())
        .def("insert", &engine::insert, py::arg("relation"), py::arg("row"))
        .def("delete", &engine::erase, py::arg("relation"), py::arg("row"))
        .def("apply_row", &engine::apply_row, py::arg("relation"), py::arg("row"), py::arg("weight"))
        .def("apply_arrow", &engine::apply_arrow, py::arg("relation"), py::arg("schema"), py::arg("array"),
             py::arg("weights") = py::none())
        .def("upsert", &engine::upsert, py::arg("relation"), py::arg("row"))
        .def("update", &engine::update, py::arg("relation"), py::arg("old"), py::arg("new"))
        .def("delete_key", &engine::delete_key, py::arg("relation"), py::arg("key"))
        .def("apply_operations", &engine::apply_operations, py::arg("relation"), py::arg("schema"), py::arg("array"),
             py::arg("operations"))
        .def("export_view", &engine::export_view, py::arg("view"))
        .def_property_readonly("version", &engine::version)
        .def("stats", &engine::stats);
    bind_ingest(module);
}

} // namespace

} // namespace toastergen::bindings

extern "C" PyObject* toastergen_make_module(const char* module_name, const tg_engine_api* api);

extern "C" PyObject* toastergen_make_module(const char* module_name, const tg_engine_api* api) {
    using namespace toastergen::bindings;
    PYBIND11_CHECK_PYTHON_VERSION
    if (api->abi_version != TG_ABI_VERSION) {
        PyErr_SetString(PyExc_ImportError, "the engine was built for another version of toastergen; build it again");
        return nullptr;
    }
    try {
        py::detail::ensure_internals();
        program& mine = this_program();
        mine.api = api;
        mine.relations = read_relations(api->schema_json);
        mine.views.clear();
        const py::dict schema = py::module_::import("json").attr("loads")(api->schema_json);
        for (const py::handle view : schema["views"]) {
            mine.views.push_back(py::cast<std::string>(view["name"]));
        }
        static PyModuleDef definition;
        py::module_ module = py::module_::create_extension_module(module_name, nullptr, &definition);
        fill(module);
        return module.ptr(); // the reference PyModule_Create gave; `module` holds one of its own
    }
    PYBIND11_CATCH_INIT_EXCEPTIONS
    return nullptr;
}
