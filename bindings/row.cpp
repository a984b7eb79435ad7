#include "row.hpp"

#include "decimal_text.hpp"

#include <datetime.h>

#include <cmath>
#include <cstdlib>
#include <memory>

namespace py = pybind11;

namespace toastergen::bindings {

namespace {

column read_column(const py::dict& description) {
    column result;
    result.name = py::cast<std::string>(description["name"]);
    result.type = py::cast<std::string>(description["type"]);
    result.nullable = description.contains("nullable") && py::cast<bool>(description["nullable"]);
    result.key = py::str(result.name);
    const std::string_view type = result.type;
    if (type.starts_with("decimal(")) {
        result.kind = TG_DECIMAL;
        result.precision = std::atoi(result.type.c_str() + 8);
        result.scale = std::atoi(result.type.c_str() + type.find(',') + 1);
        return result;
    }
    result.kind = type == "int" || type == "long" ? TG_INT
                  : type == "double"              ? TG_DOUBLE
                  : type == "date"                ? TG_DATE
                  : type == "timestamp"           ? TG_TIMESTAMP
                  : type == "bool"                ? TG_BOOL
                                                  : TG_STRING;
    return result;
}

py::object interned(const std::string& name) {
    PyObject* text = PyUnicode_InternFromString(name.c_str());
    if (text == nullptr) {
        throw py::error_already_set();
    }
    return py::reinterpret_steal<py::object>(text);
}

// repr() of a foreign object may be long or fail: neither may hide the message it stands in.
std::string shown(PyObject* value) {
    PyObject* text = PyObject_Repr(value);
    const char* bytes = text == nullptr ? nullptr : PyUnicode_AsUTF8(text);
    std::string result = bytes == nullptr ? "<unprintable>" : bytes;
    PyErr_Clear();
    Py_XDECREF(text);
    constexpr std::size_t longest = 80;
    if (result.size() > longest) {
        std::size_t cut = longest;
        while (cut > 0 && (static_cast<unsigned char>(result[cut]) & 0xC0u) == 0x80u) {
            --cut; // never in the middle of a character
        }
        result = result.substr(0, cut) + "…";
    }
    return result;
}

[[noreturn]] void refuse(const relation& target, const column& to, PyObject* from, const char* why = nullptr) {
    std::string message = "relation \"" + target.name + "\", column \"" + to.name + "\" (" + to.type + "): ";
    message += from == Py_None ? "NULL is not allowed" : "cannot take " + shown(from);
    if (from != Py_None) {
        message += why == nullptr ? " of type " + std::string(Py_TYPE(from)->tp_name) : std::string(": ") + why;
    }
    raise("DataError", message, "give a value of the column's type; the engine is unchanged");
}

std::int64_t days_from_civil(int year, unsigned month, unsigned day) {
    const int y = month <= 2 ? year - 1 : year;
    const int era = (y >= 0 ? y : y - 399) / 400;
    const auto of_era = static_cast<unsigned>(y - era * 400);
    const unsigned of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    return std::int64_t{era} * 146097 + static_cast<std::int64_t>(of_era * 365 + of_era / 4 - of_era / 100 + of_year) -
           719468;
}

// Microseconds since 1970 of a datetime.
std::int64_t timestamp_of(PyObject* from) {
    const std::int64_t day =
        days_from_civil(PyDateTime_GET_YEAR(from), static_cast<unsigned>(PyDateTime_GET_MONTH(from)),
                        static_cast<unsigned>(PyDateTime_GET_DAY(from)));
    const std::int64_t seconds = (day * 24 + PyDateTime_DATE_GET_HOUR(from)) * 3600 +
                                 PyDateTime_DATE_GET_MINUTE(from) * 60 + PyDateTime_DATE_GET_SECOND(from);
    return seconds * 1'000'000 + PyDateTime_DATE_GET_MICROSECOND(from);
}

bool has_zone(PyObject* from) {
    return PyDateTime_Check(from) && PyDateTime_DATE_GET_TZINFO(from) != Py_None;
}

void put_decimal(tg_value& out, wide value) {
    out.decimal.low = static_cast<std::uint64_t>(value);
    out.decimal.high = static_cast<std::int64_t>(value >> 64);
}

// The decimal a text denotes, or why it does not fit.
const char* take_decimal(const column& to, const char* text, tg_value& out) {
    wide value = 0;
    const char* problem = parse_decimal(text, to.precision, to.scale, value);
    put_decimal(out, value);
    return problem;
}

const char* take_decimal_object(const column& to, PyObject* from, tg_value& out) {
    if (PyFloat_Check(from)) {
        // The shortest text that reads back as this number: 0.1 is a decimal with one digit, 0.1 + 0.2 is not.
        const double number = PyFloat_AS_DOUBLE(from);
        const std::unique_ptr<char, void (*)(void*)> text(PyOS_double_to_string(number, 'r', 0, 0, nullptr),
                                                          PyMem_Free);
        if (text == nullptr) {
            throw py::error_already_set();
        }
        return take_decimal(to, text.get(), out);
    }
    const auto text = py::reinterpret_steal<py::object>(PyObject_Str(from));
    const char* bytes = text.ptr() == nullptr ? nullptr : PyUnicode_AsUTF8(text.ptr());
    if (bytes == nullptr) {
        throw py::error_already_set();
    }
    return take_decimal(to, bytes, out);
}

bool is_decimal(PyObject* value) {
    PYBIND11_CONSTINIT static py::gil_safe_call_once_and_store<py::object> type;
    type.call_once_and_store_result([] { return py::module_::import("decimal").attr("Decimal"); });
    const int answer = PyObject_IsInstance(value, type.get_stored().ptr());
    if (answer < 0) {
        throw py::error_already_set();
    }
    return answer == 1;
}

// A double that stands for exactly this integer.
bool take_integer_as_double(PyObject* from, tg_value& out) {
    out.d = PyLong_AsDouble(from);
    if (out.d == -1.0 && PyErr_Occurred() != nullptr) {
        PyErr_Clear();
        return false;
    }
    constexpr double exact = 9007199254740992.0; // 2^53
    if (std::fabs(out.d) < exact) {
        return true;
    }
    const auto back = py::reinterpret_steal<py::object>(PyLong_FromDouble(out.d));
    return back.equal(py::handle(from));
}

bool is_numpy_scalar(PyObject* value) {
    return std::string_view(Py_TYPE(value)->tp_name).starts_with("numpy.") && PyObject_HasAttrString(value, "item");
}

} // namespace

[[noreturn]] void raise(const char* error_class, const std::string& message, const char* hint) {
    const py::object family = py::module_::import("toastergen.errors").attr(error_class);
    const py::object error = family(py::reinterpret_steal<py::str>(PyUnicode_DecodeUTF8(
                                        message.data(), static_cast<Py_ssize_t>(message.size()), "replace")),
                                    py::arg("hint") = hint);
    PyErr_SetObject(family.ptr(), error.ptr());
    throw py::error_already_set();
}

std::vector<relation> read_relations(const char* schema_json) {
    if (PyDateTimeAPI == nullptr) {
        PyDateTime_IMPORT;
    }
    const py::dict schema = py::module_::import("json").attr("loads")(schema_json);
    std::vector<relation> result;
    for (const py::handle item : schema["relations"]) {
        relation next;
        next.name = py::cast<std::string>(item["name"]);
        next.key = interned(next.name);
        for (const py::handle description : item["columns"]) {
            next.columns.push_back(read_column(py::cast<py::dict>(description)));
        }
        for (const py::handle name : item["primary_key"]) {
            const auto wanted = py::cast<std::string>(name);
            for (const column& each : next.columns) {
                if (each.name == wanted) {
                    next.primary_key.push_back(each);
                }
            }
        }
        result.push_back(std::move(next));
    }
    return result;
}

void row::release() {
    m_kept.clear();
}

void row::read(const relation& target, py::handle source) {
    m_values.resize(target.columns.size());
    m_kept.clear();
    if (PyTuple_CheckExact(source.ptr())) {
        m_kept.push_back(py::reinterpret_borrow<py::object>(source));
        read_tuple(target, source.ptr());
    } else if (PyDict_Check(source.ptr())) {
        read_dict(target, source);
    } else if (PyTuple_Check(source.ptr()) || PyList_Check(source.ptr()) || is_numpy_scalar(source.ptr())) {
        // A copy: a list may change while the engine works without the interpreter's lock.
        auto copy = py::reinterpret_steal<py::object>(PySequence_Tuple(source.ptr()));
        if (copy.ptr() == nullptr) {
            throw py::error_already_set();
        }
        m_kept.push_back(copy);
        read_tuple(target, copy.ptr());
    } else {
        raise("DataError", "relation \"" + target.name + "\": a row cannot be " + shown(source.ptr()),
              "give a tuple or list in column order, or a dict by column name");
    }
}

void row::read_key(const relation& target, py::handle source) {
    if (target.primary_key.empty()) {
        raise("DataError", "relation \"" + target.name + "\" declares no PRIMARY KEY",
              "delete the whole row, or declare a key");
    }
    const relation part{.name = target.name, .key = target.key, .columns = target.primary_key, .primary_key = {}};
    const bool is_row =
        PyTuple_Check(source.ptr()) != 0 || PyList_Check(source.ptr()) != 0 || PyDict_Check(source.ptr()) != 0;
    read(part, is_row || part.columns.size() != 1 ? py::reinterpret_borrow<py::object>(source)
                                                  : py::object(py::make_tuple(source)));
}

void row::read_tuple(const relation& target, PyObject* tuple) {
    const auto size = static_cast<std::size_t>(PyTuple_GET_SIZE(tuple));
    if (size != target.columns.size()) {
        raise("DataError",
              "relation \"" + target.name + "\" has " + std::to_string(target.columns.size()) +
                  " columns, the row has " + std::to_string(size) + " values: " + shown(tuple),
              "give one value per column, in the order of the declaration");
    }
    for (std::size_t c = 0; c < size; ++c) {
        read_value(target, target.columns[c], PyTuple_GET_ITEM(tuple, static_cast<Py_ssize_t>(c)), m_values[c]);
    }
}

void row::read_dict(const relation& target, py::handle source) {
    for (std::size_t c = 0; c < target.columns.size(); ++c) {
        const column& to = target.columns[c];
        PyObject* value = PyDict_GetItemWithError(source.ptr(), to.key.ptr());
        if (value == nullptr) {
            if (PyErr_Occurred() != nullptr) {
                throw py::error_already_set();
            }
            raise("DataError",
                  "relation \"" + target.name + "\", column \"" + to.name + "\": missing in the row " +
                      shown(source.ptr()),
                  "give every column of the relation by its declared name");
        }
        m_kept.push_back(py::reinterpret_borrow<py::object>(value));
        read_value(target, to, value, m_values[c]);
    }
    if (static_cast<std::size_t>(PyDict_GET_SIZE(source.ptr())) != target.columns.size()) {
        raise("DataError",
              "relation \"" + target.name +
                  "\": the row has more keys than the relation has columns: " + shown(source.ptr()),
              "leave out what is not a column");
    }
}

// The common types without any call into Python code; false for everything else.
bool row::read_plain(const column& to, PyObject* from, tg_value& out) {
    out.kind = to.kind;
    switch (to.kind) {
    case TG_INT:
        if (PyLong_Check(from) && !PyBool_Check(from)) {
            int overflow = 0;
            out.i = PyLong_AsLongLongAndOverflow(from, &overflow);
            return overflow == 0;
        }
        return false;
    case TG_DOUBLE:
        if (PyFloat_Check(from)) {
            out.d = PyFloat_AS_DOUBLE(from);
            return true;
        }
        return PyLong_Check(from) && !PyBool_Check(from) && take_integer_as_double(from, out);
    case TG_STRING:
        if (PyUnicode_Check(from)) {
            Py_ssize_t size = 0;
            out.s.data = PyUnicode_AsUTF8AndSize(from, &size);
            if (out.s.data == nullptr) {
                PyErr_Clear(); // a lone surrogate
                return false;
            }
            out.s.size = static_cast<std::uint64_t>(size);
            return true;
        }
        return false;
    case TG_DATE:
        if (PyDate_Check(from) && !PyDateTime_Check(from)) {
            out.i = days_from_civil(PyDateTime_GET_YEAR(from), static_cast<unsigned>(PyDateTime_GET_MONTH(from)),
                                    static_cast<unsigned>(PyDateTime_GET_DAY(from)));
            return true;
        }
        return false;
    case TG_TIMESTAMP:
        if (PyDateTime_Check(from) && !has_zone(from)) {
            out.i = timestamp_of(from);
            return true;
        }
        return false;
    case TG_BOOL:
        out.i = from == Py_True ? 1 : 0;
        return PyBool_Check(from);
    default:
        return false;
    }
}

void row::read_value(const relation& target, const column& to, PyObject* from, tg_value& out) {
    if (read_plain(to, from, out)) {
        return;
    }
    if (from == Py_None && to.nullable) {
        out.kind = TG_NULL;
        return;
    }
    if (is_numpy_scalar(from) && !PyFloat_Check(from) && !PyUnicode_Check(from)) {
        const py::object item = py::handle(from).attr("item")();
        m_kept.push_back(item);
        if (!is_numpy_scalar(item.ptr())) {
            return read_value(target, to, item.ptr(), out);
        }
    }
    if (to.kind == TG_DECIMAL && !PyBool_Check(from) &&
        (PyFloat_Check(from) || PyLong_Check(from) || is_decimal(from))) {
        const char* problem = take_decimal_object(to, from, out);
        if (problem != nullptr) {
            refuse(target, to, from, problem);
        }
        return;
    }
    const bool number = PyLong_Check(from) && !PyBool_Check(from);
    if (number && to.kind == TG_INT) {
        refuse(target, to, from, "outside the range of the type");
    }
    if (number && to.kind == TG_DOUBLE) {
        refuse(target, to, from, "no double is equal to it");
    }
    if (to.kind == TG_TIMESTAMP && has_zone(from)) {
        refuse(target, to, from, "it has a time zone, the column has none");
    }
    if (to.kind == TG_STRING && PyUnicode_Check(from)) {
        refuse(target, to, from, "not valid Unicode");
    }
    refuse(target, to, from);
}

} // namespace toastergen::bindings
