-- Floating sums keep a count beside them and give up records at the end of the trigger.
CREATE STREAM readings (sensor VARCHAR, value DOUBLE);
CREATE VIEW mean AS SELECT sensor, AVG(value) AS mean FROM readings WHERE sensor LIKE 'a%' GROUP BY sensor;
