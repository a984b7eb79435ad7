-- Ratings of dishes, written by hand: maps of several slots, values that can be NULL, a batch that is summed up before it
-- is added, a query over the rows of another, and a view that is sorted when it is read.
-- `python -m toastergen run examples/ratings.m3` reads the file beside it.

CREATE STREAM ratings (guest int, dish string, stars int?) FROM FILE 'ratings.csv' LINE DELIMITED CSV;
CREATE DERIVED dishes (dish string, given long, stars long) FROM QUERY (rated);

DECLARE MAP by_dish(count: long, given: long, stars: long)[][dish: string] :=
    count: AggSum([dish], ratings(guest, dish, stars_of)),
    given: AggSum([dish], ratings(guest, dish, stars_of) * {NOT ISNULL(stars_of)}),
    stars: AggSum([dish], ratings(guest, dish, stars_of) * [CASE WHEN ISNULL(stars_of) THEN 0 ELSE KNOWN(stars_of) END]);
DECLARE MAP loved(count: long)[][] :=
    count: AggSum([], dishes(dish, given, stars) * {stars >= 4L * given} * {given > 0L});

DECLARE HIDDEN QUERY rated GROUPS OF by_dish (dish := dish, given := given, stars := stars);
DECLARE QUERY best GROUPS OF by_dish
    (dish := dish, guests := count, mean := CASE WHEN given = 0L THEN NULL::double ELSE stars / given END)
    ORDER BY (mean DESC, dish) LIMIT 3;
DECLARE QUERY loved_dishes SINGLE OF loved (dishes := count);

ON + ratings (guest, dish, stars) {
    by_dish.count[][dish] += [1L];
    by_dish.given[][dish] += {NOT ISNULL(stars)};
    by_dish.stars[][dish] += [CASE WHEN ISNULL(stars) THEN 0 ELSE KNOWN(stars) END];
}
ON - ratings (guest, dish, stars) {
    by_dish.count[][dish] += [-1L];
    by_dish.given[][dish] += {NOT ISNULL(stars)} * [-1L];
    by_dish.stars[][dish] += [CASE WHEN ISNULL(stars) THEN 0 ELSE KNOWN(stars) END] * [-1L];
}
ON BATCH UPDATE OF ratings {
    DECLARE LOCAL MAP change(count: long)[][dish: string, stars: int?] :=
        count: AggSum([dish, stars], (DELTA ratings)(guest, dish, stars));
    change.count[][dish, stars] := AggSum([dish, stars], (DELTA ratings)(guest, dish, stars));
    by_dish.count[][dish] += AggSum([dish], change.count[][dish, stars]);
    by_dish.given[][dish] += AggSum([dish], change.count[][dish, stars] * {NOT ISNULL(stars)});
    by_dish.stars[][dish] += AggSum([dish],
        change.count[][dish, stars] * [CASE WHEN ISNULL(stars) THEN 0 ELSE KNOWN(stars) END]);
}
ON + dishes (dish, given, stars) { loved.count[][] += {stars >= 4L * given} * {given > 0L}; }
ON - dishes (dish, given, stars) { loved.count[][] += {stars >= 4L * given} * {given > 0L} * [-1L]; }
