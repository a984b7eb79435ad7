-- One relation, conditions on its columns, one row as the answer.
CREATE STREAM lineitem (shipdate DATE, discount DECIMAL(4,2), quantity INT, price DECIMAL(12,2));
CREATE VIEW forecast AS
SELECT SUM(price * discount) AS revenue FROM lineitem
WHERE shipdate >= DATE '1994-01-01' AND discount BETWEEN 0.05 AND 0.07 AND quantity < 24;
