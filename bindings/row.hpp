// Python rows to rows of the C border.
#pragma once

#include <pybind11/pybind11.h>
#include <toastergen/abi.h>

#include <string>
#include <vector>

namespace toastergen::bindings {

struct column {
    std::string name;
    std::string type; // as users write it: decimal(15,2)
    int kind = 0;     // of tg_kind
    int precision = 0;
    int scale = 0;
    bool nullable = false;
    pybind11::object key; // the interned name, for rows given as dictionaries
};

struct relation {
    std::string name;
    pybind11::object key;
    std::vector<column> columns;
    std::vector<column> primary_key;
};

// The relations of a schema text.
std::vector<relation> read_relations(const char* schema_json);

// The values of one row. Keeps alive what they point to, so it may be used without the interpreter's lock.
class row {
public:
    // Throws DataError, naming relation, column and value, where the row does not fit.
    void read(const relation& target, pybind11::handle source);
    // The same for a primary key; one of one column may stand alone.
    void read_key(const relation& target, pybind11::handle source);
    const std::vector<tg_value>& values() const { return m_values; }

    // Drops the references to Python objects.
    void release();

private:
    void read_dict(const relation& target, pybind11::handle source);
    void read_tuple(const relation& target, PyObject* tuple);
    void read_value(const relation& target, const column& to, PyObject* from, tg_value& out);
    bool read_plain(const column& to, PyObject* from, tg_value& out);

    std::vector<tg_value> m_values;
    std::vector<pybind11::object> m_kept;
};

[[noreturn]] void raise(const char* error_class, const std::string& message, const char* hint);

} // namespace toastergen::bindings
