CREATE STREAM follows (a int, b int);

DECLARE MAP two_steps(count: long)[][] :=
    count: AggSum([], follows(x_a, x_b) * follows(x_b, y_b));

DECLARE MAP follows_by_x_b(count: long)[][x_b: int] :=
    count: AggSum([x_b], follows(x_b, y_b));

DECLARE MAP follows_by_x_b_2(count: long)[][x_b: int] :=
    count: AggSum([x_b], follows(x_a, x_b));

DECLARE QUERY two_steps SINGLE OF two_steps (n := count);

ON + follows (a, b) {
    two_steps.count[][] += follows_by_x_b.count[][b];
    two_steps.count[][] += follows_by_x_b_2.count[][a];
    two_steps.count[][] += {b = a};
    follows_by_x_b.count[][a] += [1L];
    follows_by_x_b_2.count[][b] += [1L];
}

ON - follows (a, b) {
    two_steps.count[][] += follows_by_x_b.count[][b] * [-1L];
    two_steps.count[][] += follows_by_x_b_2.count[][a] * [-1L];
    two_steps.count[][] += {b = a};
    follows_by_x_b.count[][a] += [-1L];
    follows_by_x_b_2.count[][b] += [-1L];
}

ON BATCH UPDATE OF follows {
    DECLARE LOCAL MAP delta_follows_by_x_b(count: long)[][x_b: int] :=
        count: AggSum([x_b], (DELTA follows)(x_a, x_b));
    DECLARE LOCAL MAP delta_follows_by_x_b_2(count: long)[][x_b: int] :=
        count: AggSum([x_b], (DELTA follows)(x_b, y_b));
    delta_follows_by_x_b.count[][x_b] := AggSum([x_b], (DELTA follows)(x_a, x_b));
    delta_follows_by_x_b_2.count[][x_b] := AggSum([x_b], (DELTA follows)(x_b, y_b));
    two_steps.count[][] += AggSum([], delta_follows_by_x_b.count[][x_b] * follows_by_x_b.count[][x_b]);
    two_steps.count[][] += AggSum([], delta_follows_by_x_b_2.count[][x_b] * follows_by_x_b_2.count[][x_b]);
    two_steps.count[][] += AggSum([], delta_follows_by_x_b.count[][x_b] * delta_follows_by_x_b_2.count[][x_b]);
    follows_by_x_b.count[][x_b] += AggSum([x_b], (DELTA follows)(x_b, y_b));
    follows_by_x_b_2.count[][x_b] += AggSum([x_b], (DELTA follows)(x_a, x_b));
}
