/* The border of an engine: plain C, versioned, no exceptions and no C++ types across it.
 *
 * Every engine library exports one function, `<name>_engine_api`, that returns a table of functions. Relations and
 * views are named by their position in the schema text (JSON, see `schema_json`). Functions that can fail return
 * TG_OK or another status; `last_error` then holds the message of this engine's last failed call. A failed call leaves
 * the engine as it was.
 */
#ifndef TOASTERGEN_ABI_H
#define TOASTERGEN_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TG_ABI_VERSION 2u /* 2: rows are matched; update_row, upsert_row, delete_key, apply_operations */

enum tg_status {
    TG_OK = 0,
    TG_BAD_ARGUMENT = 1, /* no such relation or view, wrong number of values, wrong kind of value */
    TG_BAD_DATA = 2,     /* NULL where the column is not nullable, a NaN, a number outside the column's type */
    TG_OVERFLOW = 3,     /* a maintained sum or an expression left the range of its type */
    TG_NO_MEMORY = 4,
    TG_INTERNAL = 5,
    TG_UNMATCHED = 6, /* a delete or update of a row that is not there */
    TG_KEY = 7        /* a primary key that would be there twice */
};

enum tg_kind {
    TG_INT = 1,      /* int64 in `i`; also long */
    TG_DOUBLE = 2,   /* `d` */
    TG_DECIMAL = 3,  /* scaled integer, two's complement 128 bit: `decimal.low`, `decimal.high` */
    TG_DATE = 4,     /* days since 1970-01-01 in `i` */
    TG_STRING = 5,   /* UTF-8, not terminated: `s.data`, `s.size` */
    TG_BOOL = 6,     /* 0 or 1 in `i` */
    TG_NULL = 7,     /* no value: only for columns that the schema calls nullable; nothing of the union is read */
    TG_TIMESTAMP = 8 /* microseconds since 1970-01-01 00:00:00, without a time zone, in `i` */
};

/* What to do with one row of a batch of operations. */
enum tg_operation {
    TG_INSERT = 1,
    TG_DELETE = 2,    /* the row as it was inserted */
    TG_UPDATE = 3,    /* replace the row of this key, which must be there */
    TG_UPSERT = 4,    /* replace the row of this key, or insert it */
    TG_DELETE_KEY = 5 /* delete the row of this key; the other columns are not looked at, but must hold values */
};

/* One value of a row. The engine copies what it keeps. */
typedef struct tg_value {
    int32_t kind;
    union {
        int64_t i;
        double d;
        struct {
            uint64_t low;
            int64_t high;
        } decimal;
        struct {
            const char* data;
            uint64_t size;
        } s;
    };
} tg_value;

/* The Arrow C Data Interface, as its specification lays it out. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4
struct ArrowSchema {
    const char* format;
    const char* name;
    const char* metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema** children;
    struct ArrowSchema* dictionary;
    void (*release)(struct ArrowSchema*);
    void* private_data;
};
struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void** buffers;
    struct ArrowArray** children;
    struct ArrowArray* dictionary;
    void (*release)(struct ArrowArray*);
    void* private_data;
};
#endif

typedef struct tg_engine tg_engine;

typedef struct tg_engine_api {
    uint32_t abi_version;
    uint32_t struct_size; /* sizeof(tg_engine_api) of the engine's build: newer fields come last */
    const char* name;
    const char* schema_json; /* relations, views, maps: names, columns, types */

    tg_engine* (*create)(void); /* NULL when out of memory */
    void (*destroy)(tg_engine*);

    /* One row. weight +1 inserts, -1 deletes, any other integer is that many inserts or deletes at once.
     *
     * Unless the engine was built with unmatched=allow (the schema says so), deleting a row that is not there is
     * TG_UNMATCHED, and inserting a primary key that is there is TG_KEY. */
    int (*apply_row)(tg_engine*, uint32_t relation, const tg_value* values, uint64_t count, int64_t weight);

    /* A batch: a struct array with one child per column, in the relation's column order and of exactly these formats:
     * int "i", long "l", double "g", decimal(p,s) "d:p,s", date "tdD", timestamp "tsu:", string "u" or "U", bool "b".
     * Columns that the schema calls nullable may have a validity bitmap with zeros, others may not; what lies under a
     * zero is not read. `weights` has one entry per row, or is NULL for all +1. The caller keeps ownership of both
     * structs. */
    int (*apply_batch)(tg_engine*, uint32_t relation, const struct ArrowSchema*, const struct ArrowArray*,
                       const int64_t* weights);

    /* The current rows of a view as a struct array. The caller owns both results and releases them. */
    int (*export_view)(tg_engine*, uint32_t view, struct ArrowSchema*, struct ArrowArray*);

    /* JSON: rows, bytes and probe statistics per map, rows and bytes per ledger. Valid until the next call of `stats`
     * on this engine. */
    const char* (*stats)(tg_engine*);

    /* The message of the last failed call. Valid until the next failing call on this engine. */
    const char* (*last_error)(const tg_engine*);

    /* One row in place of another, as one change: if the new row fails, the old one is still there. */
    int (*update_row)(tg_engine*, uint32_t relation, const tg_value* before, uint64_t before_count,
                      const tg_value* after, uint64_t after_count);

    /* The row of its primary key, in place of the one that may be there. */
    int (*upsert_row)(tg_engine*, uint32_t relation, const tg_value* values, uint64_t count);

    /* Deletes the row with this primary key; its values come in the order in which the key is declared. */
    int (*delete_key)(tg_engine*, uint32_t relation, const tg_value* key, uint64_t count);

    /* A batch as for apply_batch with an operation of tg_operation per row. With inserts and deletes alone it is a
     * batch of weights +1 and -1, whose order does not count; with any other one the rows are carried out one after
     * the other. As one change: all or nothing. */
    int (*apply_operations)(tg_engine*, uint32_t relation, const struct ArrowSchema*, const struct ArrowArray*,
                            const uint8_t* operations);
} tg_engine_api;

#ifdef __cplusplus
}
#endif

#endif
