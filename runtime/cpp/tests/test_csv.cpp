// The CSV reader: what is read, what is refused and how it is said, wherever the block edges fall.
#include "toastergen/csv.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

namespace csv = toastergen::csv;

namespace {

int failures = 0;

template <class left, class right> void expect_equal(const left& got, const right& wanted, int line) {
    if (!(got == wanted)) {
        std::cerr << "line " << line << ": got [" << got << "] instead of [" << wanted << "]\n";
        ++failures;
    }
}

#define EXPECT_EQUAL(got, wanted) expect_equal((got), (wanted), __LINE__)

class temporary_file {
public:
    explicit temporary_file(const std::string& text) {
        const int file = ::mkstemp(m_path.data());
        ::close(file);
        std::ofstream(m_path, std::ios::binary) << text;
    }
    temporary_file(const temporary_file&) = delete;
    temporary_file& operator=(const temporary_file&) = delete;
    ~temporary_file() { std::remove(m_path.c_str()); }
    [[nodiscard]] const std::string& path() const { return m_path; }

private:
    std::string m_path = "test_csv_XXXXXX";
};

const csv::column_type int_type{csv::kind::int32};
const csv::column_type long_type{csv::kind::int64};
const csv::column_type double_type{csv::kind::float64};
const csv::column_type date_type{csv::kind::date};
const csv::column_type time_type{csv::kind::timestamp};
const csv::column_type text_type{csv::kind::string};
const csv::column_type bool_type{csv::kind::boolean};

csv::column_type money(int precision, int scale) {
    return {csv::kind::decimal, precision, scale};
}

const std::vector<csv::column_spec> pair{{"id", int_type}, {"name", text_type}};

std::string show(const csv::column& values, std::size_t row) {
    const void* data = values.values();
    switch (values.type().what) {
    case csv::kind::int32:
    case csv::kind::date:
        return std::to_string(static_cast<const std::int32_t*>(data)[row]);
    case csv::kind::int64:
    case csv::kind::timestamp:
        return std::to_string(static_cast<const std::int64_t*>(data)[row]);
    case csv::kind::float64:
        return std::to_string(static_cast<const double*>(data)[row]);
    case csv::kind::decimal:
        return std::to_string(static_cast<long long>(static_cast<const csv::int128*>(data)[row]));
    case csv::kind::string: {
        const auto* offsets = static_cast<const std::int32_t*>(data);
        const auto* text = static_cast<const char*>(values.text());
        return {text + offsets[row], text + offsets[row + 1]};
    }
    case csv::kind::boolean:
        return ((static_cast<const std::uint8_t*>(data)[row / 8] >> (row % 8)) & 1) != 0 ? "true" : "false";
    }
    return "?";
}

// All rows as "a/b/c;" texts, or the message of the error.
std::string read(const std::string& text, const std::vector<csv::column_spec>& columns, csv::options settings = {}) {
    const temporary_file file(text);
    std::string out;
    try {
        csv::reader rows(file.path(), "t.csv", columns, settings);
        csv::batch batch;
        while (rows.next(batch)) {
            for (std::size_t row = 0; row < batch.rows; ++row) {
                for (std::size_t at = 0; at < batch.columns.size(); ++at) {
                    out += (at > 0 ? "/" : "") + show(batch.columns[at], row);
                }
                out += ";";
            }
        }
        for (const std::string& message : rows.messages()) {
            out += "<" + message + ">";
        }
        if (rows.rows_rejected() > 0) {
            out += "rejected " + std::to_string(rows.rows_rejected());
        }
        EXPECT_EQUAL(rows.bytes_read(), text.size());
    } catch (const csv::bad_row& error) {
        return error.what();
    }
    return out;
}

std::string one(const std::string& text, csv::column_type type) {
    csv::options settings;
    settings.first_line = csv::header::absent;
    return read(text + "\n", {{"x", type}}, settings);
}

void reads_every_type() {
    EXPECT_EQUAL(one("-2147483648", int_type), "-2147483648;");
    EXPECT_EQUAL(one("+7", int_type), "7;");
    EXPECT_EQUAL(one("9223372036854775807", long_type), "9223372036854775807;");
    EXPECT_EQUAL(one("1e3", double_type), "1000.000000;");
    EXPECT_EQUAL(one("-12.5", money(5, 2)), "-1250;");
    EXPECT_EQUAL(one("00012.500", money(4, 2)), "1250;");
    EXPECT_EQUAL(one(".5", money(4, 2)), "50;");
    EXPECT_EQUAL(one("0", money(2, 2)), "0;");
    EXPECT_EQUAL(one("1970-01-01", date_type), "0;");
    EXPECT_EQUAL(one("2000-02-29", date_type), "11016;");
    EXPECT_EQUAL(one("0001-01-01", date_type), "-719162;");
    EXPECT_EQUAL(one("1970-01-01", time_type), "0;");
    EXPECT_EQUAL(one("1969-12-31T23:59:59.999999", time_type), "-1;");
    EXPECT_EQUAL(one("1970-01-02 00:01", time_type), "86460000000;");
    EXPECT_EQUAL(one("1970-01-01 00:00:01.5", time_type), "1500000;");
    EXPECT_EQUAL(one("TRUE", bool_type), "true;");
    EXPECT_EQUAL(one("0", bool_type), "false;");
    EXPECT_EQUAL(one("größe", text_type), "größe;");
    EXPECT_EQUAL(one("", text_type), ";");
}

void refuses_what_is_not_exactly_a_value() {
    const std::string place = "t.csv:1: column \"x\": ";
    EXPECT_EQUAL(one("abc", money(15, 2)), place + "\"abc\" is not a decimal(15,2)");
    EXPECT_EQUAL(one("1e3", money(15, 2)), place + "\"1e3\" is not a decimal(15,2)");
    EXPECT_EQUAL(one("-", money(15, 2)), place + "\"-\" is not a decimal(15,2)");
    EXPECT_EQUAL(one("1234", money(5, 2)), place + "\"1234\" is out of the range of a decimal(5,2)");
    EXPECT_EQUAL(one("1.005", money(5, 2)), place + "\"1.005\" has too many fractional digits for a decimal(5,2)");
    EXPECT_EQUAL(one("2147483648", int_type), place + "\"2147483648\" is out of the range of an int");
    EXPECT_EQUAL(one("1.0", int_type), place + "\"1.0\" is not an int");
    EXPECT_EQUAL(one("+-1", int_type), place + "\"+-1\" is not an int");
    EXPECT_EQUAL(one(" 1", long_type), place + "\" 1\" is not a long");
    EXPECT_EQUAL(one("nan", double_type), place + "\"nan\" is not a double");
    EXPECT_EQUAL(one("1e999", double_type), place + "\"1e999\" is out of the range of a double");
    EXPECT_EQUAL(one("2001-02-29", date_type), place + "\"2001-02-29\" is out of the range of a date");
    EXPECT_EQUAL(one("2001-2-03", date_type), place + "\"2001-2-03\" is not a date");
    EXPECT_EQUAL(one("2001-02-03 24:00", time_type), place + "\"2001-02-03 24:00\" is out of the range of a timestamp");
    EXPECT_EQUAL(one("2001-02-03 10:0", time_type), place + "\"2001-02-03 10:0\" is not a timestamp");
    EXPECT_EQUAL(one("2001-02-03 10:00:00.", time_type), place + "\"2001-02-03 10:00:00.\" is not a timestamp");
    EXPECT_EQUAL(one("yes", bool_type), place + "\"yes\" is not a bool");
    EXPECT_EQUAL(one("a\xC0\xAF", text_type), place + "\"a\\xc0\\xaf\" is not valid UTF-8");
    EXPECT_EQUAL(one("\xED\xA0\x80", text_type), place + "\"\\xed\\xa0\\x80\" is not valid UTF-8");
    EXPECT_EQUAL(read("1,a\n,b\n", pair), "t.csv:2: column \"id\": the field is empty, but an int is needed");
}

void understands_quotes_and_line_ends() {
    EXPECT_EQUAL(read("1,\"a,b\"\r\n2,\"say \"\"hi\"\"\"\r\n3,\"two\nlines\"\n4,x", pair),
                 "1/a,b;2/say \"hi\";3/two\nlines;4/x;");
    EXPECT_EQUAL(read("1,a\"b\n2,\"\"\n", pair), "1/a\"b;2/;");
    EXPECT_EQUAL(read("\n1,a\n\r\n2,b\n\n", pair), "1/a;2/b;");
    EXPECT_EQUAL(read("", pair), "");
    EXPECT_EQUAL(read("\xEF\xBB\xBF"
                      "1,a\n",
                      pair),
                 "1/a;");
    EXPECT_EQUAL(read("1,\"a\"b\n", pair), "t.csv:1: text follows a closing quote");
    EXPECT_EQUAL(read("1,a\n2,\"b\n3,c\n", pair), "t.csv:2: the quote is never closed");
    EXPECT_EQUAL(read("1,\"x\ny\"\nz,b\n", pair), "t.csv:3: column \"id\": \"z\" is not an int");
    csv::options escaped;
    escaped.rules.escape = '\\';
    EXPECT_EQUAL(read("1,\"a\\\"b\\\\\"\n2,c\\d\n", pair, escaped), "1/a\"b\\;2/c\\d;");
    csv::options plain;
    plain.rules = {'\t', '\0', '\0'};
    EXPECT_EQUAL(read("1\t\"a\n2\tb\n", pair, plain), "1/\"a;2/b;");
}

void tolerates_one_trailing_delimiter() {
    csv::options bars;
    bars.rules.delimiter = '|';
    EXPECT_EQUAL(read("1|a|\n2|b|\n", pair, bars), "1/a;2/b;");
    EXPECT_EQUAL(read("1|a||\n", pair, bars), "t.csv:1: 4 fields where the relation has 2 columns");
    EXPECT_EQUAL(read("1|a|x\n", pair, bars), "t.csv:1: 3 fields where the relation has 2 columns");
    EXPECT_EQUAL(read("1\n", pair, bars), "t.csv:1: 1 fields where the relation has 2 columns");
}

void finds_columns_by_header() {
    csv::options named;
    named.first_line = csv::header::present;
    EXPECT_EQUAL(read("NAME,id\na,1\n", pair, named), "1/a;");
    EXPECT_EQUAL(read("name,id\na,1\n", pair), "1/a;");
    EXPECT_EQUAL(read("id\n1\n", pair, named), "t.csv:1: the header lacks column \"name\"");
    EXPECT_EQUAL(read("id,nam\n1,a\n", pair, named),
                 "t.csv:1: the header names \"nam\", which is not a column of the relation");
    EXPECT_EQUAL(read("id,ID,name\n", pair, named), "t.csv:1: the header names column \"ID\" twice");
    // A line that could be data is data.
    EXPECT_EQUAL(read("name\n", {{"name", text_type}}), "name;");
}

void skips_and_counts_bad_rows() {
    csv::options skip;
    skip.skip_bad_rows = true;
    EXPECT_EQUAL(read("1,a\nx,b\n3,\xFF\n4,d\n", pair, skip),
                 "1/a;4/d;<t.csv:2: column \"id\": \"x\" is not an int>"
                 "<t.csv:3: column \"name\": \"\\xff\" is not valid UTF-8>rejected 2");
    EXPECT_EQUAL(read("1,a\n2,\"b\n3,c\n", pair, skip), "1/a;3/c;<t.csv:2: the quote is never closed>rejected 1");
    const std::vector<csv::column_spec> flags{{"f", bool_type}, {"s", text_type}, {"n", int_type}};
    EXPECT_EQUAL(read("t,abc,x\nf,d,1\nt,,x\n1,e,2\n", flags, skip).substr(0, 20), "false/d/1;true/e/2;<");
}

void gives_the_same_rows_for_every_block_and_batch_size() {
    const std::string text = "id,name\r\n1,\"a\r\n\"\"b\"\r\n22,c\n333,\"\"\n4,dddddddddd\r\n5,\"e\"";
    const std::string wanted = read(text, pair);
    EXPECT_EQUAL(wanted, "1/a\r\n\"b;22/c;333/;4/dddddddddd;5/e;");
    for (std::size_t block = 1; block <= text.size() + 1; ++block) {
        for (const std::size_t rows : {std::size_t{1}, std::size_t{2}, std::size_t{100}}) {
            csv::options settings;
            settings.block_bytes = block;
            settings.batch_rows = rows;
            EXPECT_EQUAL(read(text, pair, settings), wanted);
        }
    }
}

void exports_arrow_that_outlives_the_reader() {
    ArrowSchema schema{};
    ArrowArray array{};
    {
        const temporary_file file("1,a\n2,bc\n");
        csv::reader rows(file.path(), "t.csv", pair, {});
        csv::batch batch;
        EXPECT_EQUAL(rows.next(batch), true);
        schema = csv::export_schema(rows.columns());
        array = csv::export_array(std::move(batch));
    }
    EXPECT_EQUAL(std::string(schema.format), "+s");
    EXPECT_EQUAL(std::string(schema.children[1]->format), "u");
    EXPECT_EQUAL(std::string(schema.children[1]->name), "name");
    EXPECT_EQUAL(array.length, 2);
    EXPECT_EQUAL(static_cast<const std::int32_t*>(array.children[0]->buffers[1])[1], 2);
    // A consumer may move a child out; the parent's release must then leave it alone.
    ArrowArray moved = *array.children[1];
    array.children[1]->release = nullptr;
    array.release(&array);
    EXPECT_EQUAL(array.release == nullptr, true);
    EXPECT_EQUAL(std::string(static_cast<const char*>(moved.buffers[2]), 3), "abc");
    moved.release(&moved);
    schema.release(&schema);
}

void reports_a_missing_file() {
    try {
        csv::reader rows("no/such/file", "no/such/file", pair, {});
        EXPECT_EQUAL(std::string("nothing"), "an exception");
    } catch (const std::system_error& error) {
        EXPECT_EQUAL(error.code().value(), ENOENT);
    }
}

} // namespace

int main() {
    reads_every_type();
    refuses_what_is_not_exactly_a_value();
    understands_quotes_and_line_ends();
    tolerates_one_trailing_delimiter();
    finds_columns_by_header();
    skips_and_counts_bad_rows();
    gives_the_same_rows_for_every_block_and_batch_size();
    exports_arrow_that_outlives_the_reader();
    reports_a_missing_file();
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
