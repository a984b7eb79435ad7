CREATE STREAM readings (sensor string, value double);

DECLARE MAP mean(count: long, sum_value: double)[][sensor: string] :=
    count: AggSum([sensor], readings(sensor, value) * {sensor LIKE 'a%'}),
    sum_value: AggSum([sensor], readings(sensor, value) * {sensor LIKE 'a%'} * [value]);

DECLARE QUERY mean GROUPS OF mean (sensor := sensor, mean := sum_value /! CAST(count AS double));

ON + readings (sensor, value) {
    mean.count[][sensor] += {sensor LIKE 'a%'};
    mean.sum_value[][sensor] += {sensor LIKE 'a%'} * [value];
}

ON - readings (sensor, value) {
    mean.count[][sensor] += {sensor LIKE 'a%'} * [-1L];
    mean.sum_value[][sensor] += {sensor LIKE 'a%'} * [-1L] * [value];
}

ON BATCH UPDATE OF readings {
    mean.count[][sensor] += AggSum([sensor], (DELTA readings)(sensor, value) * {sensor LIKE 'a%'});
    mean.sum_value[][sensor] += AggSum([sensor], (DELTA readings)(sensor, value) * {sensor LIKE 'a%'} * [value]);
}
