#include "check.hpp"

#include <toastergen/arrow.hpp>

using check::message_of;

// Exported structs that release themselves.
struct table {
    ArrowSchema schema{};
    ArrowArray array{};

    explicit table(tg::table_builder& builder) { builder.finish(&schema, &array); }
    table(const table&) = delete;
    table& operator=(const table&) = delete;
    ~table() {
        schema.release(&schema);
        array.release(&array);
    }
};

constexpr tg::column_spec price_and_name[] = {{"price", "g"}, {"name", "U"}};

static void append(tg::table_builder& builder, double price, std::string_view name) {
    builder.append(0, price);
    builder.append(1, name);
}

CASE(rows_go_out_and_come_back) {
    tg::table_builder builder(price_and_name);
    append(builder, 1.5, "one");
    append(builder, 2.5, "");
    const table sent(builder);
    const tg::batch rows(sent.schema, sent.array, nullptr, price_and_name);
    CHECK(rows.size() == 2);
    CHECK(rows.doubles(0)[1] == 2.5);
    CHECK(rows.texts(1)[0] == "one" && rows.texts(1)[1].empty());
    CHECK(rows.weight(0) == 1 && !rows.negated());
    CHECK(rows.inverse().weight(0) == -1 && rows.inverse().negated());
    CHECK(rows.inverse().inverse().weight(1) == 1);
}

CASE(offsets_of_parent_and_child_add_up) {
    constexpr tg::column_spec columns[] = {{"n", "l"}, {"odd", "b"}, {"name", "u"}};
    constexpr tg::column_spec out[] = {{"n", "l"}, {"odd", "b"}, {"name", "U"}};
    tg::table_builder builder(out);
    for (std::int64_t n = 0; n < 30; ++n) {
        builder.append(0, n);
        builder.append(1, n % 2 == 1);
        builder.append(2, std::to_string(n));
    }
    table sent(builder);
    sent.array.offset = 3;
    sent.array.length = 10;
    for (std::int64_t c = 0; c < 3; ++c) {
        sent.array.children[c]->offset = 8;
        sent.array.children[c]->length = 22;
    }
    const tg::batch rows(sent.schema, sent.array, nullptr, columns);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        CHECK(rows.longs(0)[i] == static_cast<std::int64_t>(i) + 11);
        CHECK(rows.bools(1)[i] == (i % 2 == 0));
        CHECK(rows.texts(2)[i] == std::to_string(i + 11));
    }
}

CASE(weights_are_read_and_checked) {
    tg::table_builder builder(price_and_name);
    append(builder, 1, "a");
    append(builder, 2, "b");
    const table sent(builder);
    std::int64_t weights[] = {5, -2};
    const tg::batch rows(sent.schema, sent.array, weights, price_and_name);
    CHECK(rows.weight(0) == 5 && rows.inverse().weight(1) == 2);
    weights[1] = std::numeric_limits<std::int64_t>::min();
    const auto read = [&] { tg::batch(sent.schema, sent.array, weights, price_and_name); };
    CHECK(message_of<tg::data_error>(read).starts_with("row 2: the weight -9223372036854775808"));
}

template <class Error = tg::data_error>
static std::string refusal(tg::table_builder& builder, std::span<const tg::column_spec> expected) {
    const table sent(builder);
    return message_of<Error>([&] { tg::batch(sent.schema, sent.array, nullptr, expected); });
}

CASE(null_is_refused_with_its_place) {
    constexpr tg::column_spec sent[] = {{"price", "g", true}};
    tg::table_builder builder(sent);
    for (int i = 0; i < 16; ++i) {
        builder.append(0, 1.0);
    }
    builder.append_null(0);
    constexpr tg::column_spec expected[] = {{"price", "g"}};
    CHECK(refusal(builder, expected) == "column \"price\", row 17: NULL is not allowed");
}

CASE(a_bitmap_with_all_bits_set_is_no_null) {
    constexpr tg::column_spec columns[] = {{"price", "g", true}};
    tg::table_builder builder(columns);
    builder.append(0, 1.0);
    builder.append_null(0);
    table sent(builder);
    sent.array.length = 1; // the NULL is outside
    sent.array.children[0]->null_count = -1;
    CHECK(tg::batch(sent.schema, sent.array, nullptr, columns).size() == 1);
}

CASE(numbers_outside_their_type_are_refused) {
    tg::table_builder doubles(price_and_name);
    append(doubles, 1, "");
    append(doubles, std::nan(""), "");
    CHECK(refusal(doubles, price_and_name) == "column \"price\", row 2: NaN is not allowed");
    append(doubles, -INFINITY, "");
    CHECK(refusal(doubles, price_and_name) == "column \"price\", row 1: an infinite value is not allowed");

    constexpr tg::column_spec wide[] = {{"amount", "d:9,2"}};
    constexpr tg::column_spec narrow[] = {{"amount", "d:3,2"}};
    tg::table_builder decimals(wide);
    decimals.append(0, std::int64_t{-999});
    decimals.append(0, std::int64_t{1000});
    table sent(decimals);
    sent.schema.children[0]->format = "d:3,2";
    const auto read = [&] { tg::batch(sent.schema, sent.array, nullptr, narrow); };
    CHECK(message_of<tg::data_error>(read) == "column \"amount\", row 2: the value has more digits than decimal(3,2)");
}

CASE(wrong_columns_are_refused) {
    constexpr tg::column_spec one[] = {{"price", "g"}};
    constexpr tg::column_spec other[] = {{"price", "l"}, {"name", "U"}};
    tg::table_builder builder(price_and_name);
    CHECK(refusal<tg::argument_error>(builder, one) == "the batch has 2 columns, the relation has 1");
    CHECK(refusal<tg::argument_error>(builder, other) ==
          "column \"price\": Arrow format \"g\", the relation needs \"l\"");
}

CASE(short_children_and_other_arrays_are_refused) {
    tg::table_builder builder(price_and_name);
    append(builder, 1, "a");
    table sent(builder);
    const auto read = [&] { tg::batch(sent.schema, sent.array, nullptr, price_and_name); };
    sent.array.length = 2;
    CHECK(message_of<tg::argument_error>(read) == "column \"price\": fewer values than the batch has rows");
    sent.array.length = 1;
    sent.schema.format = "g";
    CHECK(message_of<tg::argument_error>(read).starts_with("a batch must be a struct array"));
}

CASE(an_empty_batch_is_fine) {
    tg::table_builder builder(price_and_name);
    const table sent(builder);
    const tg::batch rows(sent.schema, sent.array, nullptr, price_and_name);
    CHECK(rows.size() == 0);
    rows.doubles(0);
    rows.texts(1);
}

CASE(a_child_may_outlive_its_parent) {
    tg::table_builder builder(price_and_name);
    append(builder, 7, "kept");
    ArrowSchema schema;
    ArrowArray array;
    builder.finish(&schema, &array);
    ArrowArray moved = *array.children[0];
    array.children[0]->release = nullptr;
    array.release(&array);
    CHECK(array.release == nullptr);
    CHECK(static_cast<const double*>(moved.buffers[1])[0] == 7);
    moved.release(&moved);
    schema.release(&schema);
}

CASE(a_builder_can_be_used_again) {
    tg::table_builder builder(price_and_name);
    append(builder, 1, "first");
    const table first(builder);
    append(builder, 2, "second");
    const table second(builder);
    const tg::batch rows(second.schema, second.array, nullptr, price_and_name);
    CHECK(rows.size() == 1 && rows.texts(1)[0] == "second");
}

CASE(builders_refuse_what_does_not_fit) {
    constexpr tg::column_spec columns[] = {{"amount", "d:38,0"}, {"name", "U"}};
    tg::table_builder builder(columns);
    CHECK(message_of<std::overflow_error>([&] { builder.append(0, tg::power_of_ten(38)); }) ==
          "column \"amount\": a value has more digits than decimal(38,0)");
    message_of<std::logic_error>([&] { builder.append(1, 1.0); });
    message_of<std::logic_error>([&] { builder.append_null(1); });
    builder.append(1, "alone");
    ArrowSchema schema;
    ArrowArray array;
    CHECK(message_of<std::logic_error>([&] { builder.finish(&schema, &array); }).find("differ in length") !=
          std::string::npos);
    constexpr tg::column_spec unknown[] = {{"x", "z"}};
    message_of<std::logic_error>([&] { tg::table_builder{unknown}; });
}
