// A map of an M3 program: records found by key, by partial key (slices), or all in turn.
//
//     struct rec { std::int64_t b; tg::text c; tg::slice_link links[1]; std::int64_t count; bool vacant() const {…} };
//     using by_b_c = tg::keyed_map<rec, tg::fields<&rec::b, &rec::c>, tg::slices<tg::fields<&rec::b>>>;
//
// Records never move, so a reference to one stays valid until that record is erased, whatever happens to others.
#pragma once

#include "fields.hpp"
#include "record_pool.hpp"
#include "slice_index.hpp"

#include <tuple>

namespace tg {

struct map_stats {
    std::size_t rows = 0;
    std::size_t bytes = 0;
    std::size_t capacity = 0; // of the unique index
    std::size_t max_probe = 0;
    double mean_probe = 0;
};

template <class Record, class Key, class Slices = slices<>, class Hash = field_hash> class keyed_map;

template <class Record, auto... Keys, class... Slices, class Hash>
class keyed_map<Record, fields<Keys...>, slices<Slices...>, Hash> {
    static constexpr bool has_text = (false || ... || (detail::is_text<Keys> || detail::is_nullable_text<Keys>));
    static constexpr std::size_t slice_count = sizeof...(Slices);

    template <auto Member> using param = detail::field_param<Member>;
    template <std::size_t I> using slice_fields = std::tuple_element_t<I, std::tuple<Slices...>>;

public:
    // Records of one slice, for range-for. Other maps may be changed while iterating, this one may not.
    class slice_range {
    public:
        class iterator {
        public:
            using value_type = Record;
            using difference_type = std::ptrdiff_t;

            iterator() = default;
            iterator(const record_pool<Record>* pool, std::uint32_t id, std::size_t slice)
                : m_pool(pool), m_id(id), m_slice(slice) {}

            const Record& operator*() const { return (*m_pool)[m_id]; }
            const Record* operator->() const { return &(*m_pool)[m_id]; }
            iterator& operator++() {
                m_id = (*m_pool)[m_id].links[m_slice].next;
                return *this;
            }
            iterator operator++(int) {
                iterator before = *this;
                ++*this;
                return before;
            }
            bool operator==(const iterator& other) const { return m_id == other.m_id; }
            bool operator==(std::default_sentinel_t) const { return m_id == nil; }

        private:
            const record_pool<Record>* m_pool = nullptr;
            std::uint32_t m_id = nil;
            std::size_t m_slice = 0;
        };

        slice_range(const record_pool<Record>* pool, std::uint32_t head, std::size_t slice)
            : m_begin(pool, head, slice) {}
        iterator begin() const { return m_begin; }
        std::default_sentinel_t end() const { return {}; }

    private:
        iterator m_begin;
    };

    const Record* find(param<Keys>... keys) const {
        const std::uint32_t id = find_id(Hash{}(keys...), keys...);
        return id == nil ? nullptr : &m_pool[id];
    }

    // Finds or creates the record, calls `change(Record&)`, and erases it if that left it vacant.
    template <class Change> void update(Change&& change, param<Keys>... keys) {
        const std::uint32_t hash = Hash{}(keys...);
        const std::uint32_t id = find_or_create(hash, keys...);
        Record& record = m_pool[id];
        change(record);
        if (record.vacant()) {
            erase(id, hash);
        }
    }

    // The same, but a vacant record stays, and is iterated over, until `sweep`: for keys that often come back within
    // one batch, and for loops that must not lose the record they stand on.
    template <class Change> void update_deferred(Change&& change, param<Keys>... keys) {
        if (m_vacated.size() == m_vacated.capacity()) {
            m_vacated.reserve(std::max<std::size_t>(16, m_vacated.size() * 2)); // fail before the change, not after
        }
        const std::uint32_t id = find_or_create(Hash{}(keys...), keys...);
        Record& record = m_pool[id];
        change(record);
        if (record.vacant()) {
            m_vacated.push_back(id);
        }
    }

    // Erases the records that `update_deferred` left vacant and nothing has revived since.
    void sweep() {
        sweep_after([](const Record&) {});
    }

    // Records whose I-th slice fields have these values.
    template <std::size_t I, class... Values> slice_range slice(const Values&... values) const {
        static_assert(I < slice_count, "the map has no such slice");
        return {&m_pool, find_head<I>(slice_fields<I>{}, values...), I};
    }

    // All records. A range over the pool itself: the current record may be erased while iterating.
    const record_pool<Record>& all() const { return m_pool; }

    std::string_view view(const text& value) const
        requires(has_text)
    {
        return m_arena.view(value);
    }
    nullable<std::string_view> view(const nullable_text& value) const
        requires(has_text)
    {
        return view_of(m_arena, value);
    }

    std::size_t size() const { return m_pool.size(); }
    bool empty() const { return m_pool.size() == 0; }

    std::size_t bytes() const {
        std::size_t total = m_pool.bytes() + m_index.bytes() + m_arena.bytes();
        for (const slice_index& index : m_slices) {
            total += index.bytes();
        }
        return total + m_vacated.capacity() * sizeof(std::uint32_t);
    }

    // Forgets all records. Moderate amounts of memory are kept: maps local to a batch are cleared after each.
    void clear() {
        m_pool.clear();
        m_index.clear();
        for (slice_index& index : m_slices) {
            index.clear();
        }
        m_arena.clear();
        m_vacated.clear();
    }

    map_stats stats() const {
        const probe_stats probes = m_index.probes();
        return {size(), bytes(), m_index.capacity(), probes.max, probes.mean};
    }

protected:
    // The same; `last_look` sees every record right before it goes.
    template <class Look> void sweep_after(Look&& last_look) {
        for (const std::uint32_t id : m_vacated) {
            // An id may be noted twice, or erased since.
            if (m_pool.is_live(id) && m_pool[id].vacant()) {
                last_look(static_cast<const Record&>(m_pool[id]));
                erase(id, hash_record<Keys...>(m_pool[id]));
            }
        }
        m_vacated.clear();
    }

    template <auto Member> detail::field_param<Member> read(const Record& record) const {
        return detail::read_field<Member>(m_arena, record);
    }

private:
    using arena = std::conditional_t<has_text, text_arena, detail::no_arena>;

    template <auto... Members> std::uint32_t hash_record(const Record& record) const {
        return Hash{}(detail::read_field<Members>(m_arena, record)...);
    }

    template <auto... Members> bool equals(const Record& record, param<Members>... values) const {
        return (true && ... && detail::field_equals<Members>(m_arena, record, values));
    }

    std::uint32_t find_id(std::uint32_t hash, param<Keys>... keys) const {
        return m_index.find(hash, [&](std::uint32_t id) { return equals<Keys...>(m_pool[id], keys...); });
    }

    std::uint32_t find_or_create(std::uint32_t hash, param<Keys>... keys) {
        const std::uint32_t id = find_id(hash, keys...);
        return id != nil ? id : create(hash, keys...);
    }

    // Whatever can run out of memory comes first: a failure leaves the map as it was. Not inlined, like `erase`:
    // updates that find their record are the common ones and stay small.
    [[gnu::noinline]] std::uint32_t create(std::uint32_t hash, param<Keys>... keys) {
        m_index.reserve_one();
        for (slice_index& index : m_slices) {
            index.reserve_one();
        }
        const std::uint32_t id = m_pool.create();
        Record& record = m_pool[id];
        try {
            (detail::write_field<Keys>(m_arena, record, keys), ...);
        } catch (...) {
            destroy(id);
            throw;
        }
        m_index.insert(hash, id);
        for_each_slice([&]<std::size_t I, auto... Members>(fields<Members...>) {
            const auto same = [&](std::uint32_t head) {
                return equals<Members...>(m_pool[head], detail::read_field<Members>(m_arena, record)...);
            };
            m_slices[I].insert(hash_record<Members...>(record), id, links<I>(), same);
        });
        return id;
    }

    [[gnu::noinline]] void erase(std::uint32_t id, std::uint32_t hash) {
        m_index.erase(hash, id);
        for_each_slice([&]<std::size_t I, auto... Members>(fields<Members...>) {
            m_slices[I].remove(id, links<I>(), [&] { return hash_record<Members...>(m_pool[id]); });
        });
        destroy(id);
    }

    void destroy(std::uint32_t id) {
        (detail::release_field<Keys>(m_arena, m_pool[id]), ...);
        m_pool.destroy(id);
    }

    template <std::size_t I, auto... Members>
    std::uint32_t find_head(fields<Members...>, param<Members>... values) const {
        return m_slices[I].find(Hash{}(values...),
                                [&](std::uint32_t id) { return equals<Members...>(m_pool[id], values...); });
    }

    template <std::size_t I> auto links() {
        return [this](std::uint32_t id) -> slice_link& { return m_pool[id].links[I]; };
    }

    template <class Visit> static void for_each_slice(Visit&& visit) {
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (visit.template operator()<I>(slice_fields<I>{}), ...);
        }(std::make_index_sequence<slice_count>{});
    }

    record_pool<Record> m_pool;
    unique_index m_index;
    std::array<slice_index, slice_count> m_slices;
    std::vector<std::uint32_t> m_vacated;
    [[no_unique_address]] arena m_arena;
};

} // namespace tg
