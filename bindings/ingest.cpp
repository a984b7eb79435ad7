// CsvReader: batches of a CSV file as Arrow capsules. Bad rows are ValueError, a file that cannot be read is OSError;
// the Python side gives both their place in the family of errors.
#include "ingest.hpp"

#include "toastergen/csv.hpp"

#include <pybind11/stl.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

namespace py = pybind11;
namespace csv = toastergen::csv;

namespace {

// name, kind, precision, scale, nullable
using column_tuple = std::tuple<std::string, std::string, int, int, bool>;

csv::kind kind_of(const std::string& word) {
    static constexpr std::pair<const char*, csv::kind> known[] = {
        {"int", csv::kind::int32},       {"long", csv::kind::int64},          {"double", csv::kind::float64},
        {"decimal", csv::kind::decimal}, {"date", csv::kind::date},           {"string", csv::kind::string},
        {"bool", csv::kind::boolean},    {"timestamp", csv::kind::timestamp},
    };
    for (const auto& [name, kind] : known) {
        if (word == name) {
            return kind;
        }
    }
    throw py::type_error("no column type is called " + word);
}

char character(const std::string& text, const char* option) {
    if (text.size() > 1) {
        throw py::type_error(std::string(option) + " must be one ASCII character or empty");
    }
    return text.empty() ? '\0' : text[0];
}

csv::header header_of(const py::object& wish) {
    if (wish.is_none()) {
        return csv::header::detect;
    }
    return wish.cast<bool>() ? csv::header::present : csv::header::absent;
}

template <class node> void release_capsule(PyObject* capsule, const char* name) {
    auto* held = static_cast<node*>(PyCapsule_GetPointer(capsule, name));
    if (held->release != nullptr) {
        held->release(held);
    }
    delete held;
}

template <class node> py::object capsule(node content, const char* name, PyCapsule_Destructor destructor) {
    auto held = std::make_unique<node>(content);
    PyObject* made = PyCapsule_New(held.get(), name, destructor);
    if (made == nullptr) {
        held->release(held.get());
        throw py::error_already_set();
    }
    held.release();
    return py::reinterpret_steal<py::object>(made);
}

// One batch; its columns leave through `__arrow_c_array__`, once.
class csv_batch {
public:
    csv_batch(std::vector<csv::column_spec> columns, csv::batch rows)
        : m_columns(std::move(columns)), m_rows(std::move(rows)), m_count(m_rows->rows) {}

    [[nodiscard]] std::size_t size() const { return m_count; }

    py::tuple arrow(const py::object& /* requested_schema: a wish that the protocol allows to ignore */) {
        if (!m_rows) {
            throw py::value_error("the batch was handed over before");
        }
        const auto free_schema = [](PyObject* self) { release_capsule<ArrowSchema>(self, "arrow_schema"); };
        const auto free_array = [](PyObject* self) { release_capsule<ArrowArray>(self, "arrow_array"); };
        py::object schema = capsule(csv::export_schema(m_columns), "arrow_schema", free_schema);
        csv::batch rows = std::move(*m_rows);
        m_rows.reset();
        return py::make_tuple(schema, capsule(csv::export_array(std::move(rows)), "arrow_array", free_array));
    }

private:
    std::vector<csv::column_spec> m_columns;
    std::optional<csv::batch> m_rows;
    std::size_t m_count;
};

[[noreturn]] void raise_os_error(const std::system_error& error) {
    errno = error.code().value();
    PyErr_SetFromErrno(PyExc_OSError);
    throw py::error_already_set();
}

class csv_reader {
public:
    csv_reader(const py::bytes& path, std::string label, const std::vector<column_tuple>& columns,
               csv::options settings) {
        std::vector<csv::column_spec> specs;
        for (const auto& [name, kind, precision, scale, nullable] : columns) {
            specs.push_back({name, {kind_of(kind), precision, scale}, nullable});
        }
        try {
            m_reader = std::make_unique<csv::reader>(std::string(path), std::move(label), std::move(specs),
                                                     std::move(settings));
        } catch (const std::system_error& error) {
            raise_os_error(error);
        }
    }

    std::unique_ptr<csv_batch> next_batch() {
        csv::batch rows;
        bool more = false;
        try {
            py::gil_scoped_release unlocked;
            more = m_reader->next(rows);
        } catch (const csv::bad_row& error) {
            throw py::value_error(error.what());
        } catch (const std::system_error& error) {
            raise_os_error(error);
        }
        return more ? std::make_unique<csv_batch>(m_reader->columns(), std::move(rows)) : nullptr;
    }

    [[nodiscard]] const csv::reader& reader() const { return *m_reader; }

private:
    std::unique_ptr<csv::reader> m_reader;
};

std::unique_ptr<csv_reader> open_reader(const py::bytes& path, std::string label,
                                        const std::vector<column_tuple>& columns, const std::string& delimiter,
                                        const std::string& quote, const std::string& escape, const py::object& header,
                                        std::string null, bool skip_bad_rows, std::size_t batch_rows) {
    if (delimiter.size() != 1) {
        throw py::type_error("delimiter must be one ASCII character");
    }
    if (columns.empty() || batch_rows == 0) {
        throw py::type_error("a reader needs at least one column and one row per batch");
    }
    csv::options settings;
    settings.rules = {delimiter[0], character(quote, "quote"), character(escape, "escape")};
    settings.first_line = header_of(header);
    settings.null = std::move(null);
    settings.skip_bad_rows = skip_bad_rows;
    settings.batch_rows = batch_rows;
    return std::make_unique<csv_reader>(path, std::move(label), columns, std::move(settings));
}

} // namespace

// module_local: every engine module brings these classes, and two engines may be loaded in one process.
void bind_ingest(py::module_& m) {
    py::class_<csv_batch>(m, "CsvBatch", py::module_local(), "Rows of a CSV file in Arrow's layout.")
        .def("__len__", &csv_batch::size)
        .def("__arrow_c_array__", &csv_batch::arrow, py::arg("requested_schema") = py::none());
    py::class_<csv_reader>(m, "CsvReader", py::module_local(), "Typed batches of one CSV file.")
        .def(py::init(&open_reader), py::arg("path"), py::arg("label"), py::arg("columns"), py::kw_only(),
             py::arg("delimiter") = ",", py::arg("quote") = "\"", py::arg("escape") = "",
             py::arg("header") = py::none(), py::arg("null") = "", py::arg("skip_bad_rows") = false,
             py::arg("batch_rows") = 65536)
        .def("next_batch", &csv_reader::next_batch, "The next batch, or None at the end of the file.")
        .def_property_readonly("rows_read", [](const csv_reader& self) { return self.reader().rows_read(); })
        .def_property_readonly("rows_rejected", [](const csv_reader& self) { return self.reader().rows_rejected(); })
        .def_property_readonly("bytes_read", [](const csv_reader& self) { return self.reader().bytes_read(); })
        .def_property_readonly("messages", [](const csv_reader& self) { return self.reader().messages(); });
}
