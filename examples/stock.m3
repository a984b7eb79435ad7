-- What the stock of every site is worth, in the spelling of DBToaster's M3: one value per map, values without brackets.
-- `python -m toastergen run examples/stock.m3` reads the two files beside it.

CREATE STREAM MOVES(ITEM int, SITE char(3), PIECES int)
  FROM FILE 'stock_moves.csv' LINE DELIMITED
  CSV(fields := ',', deletions := 'true');
CREATE STREAM PRICES(ITEM int, PRICE int)
  FROM FILE 'stock_prices.csv' LINE DELIMITED CSV;

DECLARE MAP WORTH(int)[][SITE:string] :=
  AggSum([SITE], (MOVES(ITEM, SITE, PIECES) * PRICES(ITEM, PRICE) * PIECES * PRICE));
DECLARE MAP PRICE_OF(int)[][ITEM] :=
  AggSum([ITEM], (PRICES(ITEM, PRICE) * PRICE));
DECLARE MAP PIECES_OF(int)[][ITEM, SITE] :=
  AggSum([ITEM, SITE], (MOVES(ITEM, SITE, PIECES) * PIECES));
DECLARE MAP LARGE_MOVES(int)[][] :=
  AggSum([], (MOVES(ITEM, SITE, PIECES) * {PIECES >= 100}));

DECLARE QUERY WORTH := WORTH(int)[][SITE];
DECLARE QUERY LARGE_MOVES := LARGE_MOVES(int)[][];

ON + MOVES(M_ITEM, M_SITE, M_PIECES) {
   WORTH(int)[][M_SITE] += (M_PIECES * PRICE_OF(int)[][M_ITEM]);
   PIECES_OF(int)[][M_ITEM, M_SITE] += M_PIECES;
   LARGE_MOVES(int)[][] += {M_PIECES >= 100};
}
ON - MOVES(M_ITEM, M_SITE, M_PIECES) {
   WORTH(int)[][M_SITE] += (-1 * M_PIECES * PRICE_OF(int)[][M_ITEM]);
   PIECES_OF(int)[][M_ITEM, M_SITE] += (-1 * M_PIECES);
   LARGE_MOVES(int)[][] += ({M_PIECES >= 100} * -1);
}
ON + PRICES(P_ITEM, P_PRICE) {
   WORTH(int)[][SITE] += (PIECES_OF(int)[][P_ITEM, SITE] * P_PRICE);
   PRICE_OF(int)[][P_ITEM] += P_PRICE;
}
ON - PRICES(P_ITEM, P_PRICE) {
   WORTH(int)[][SITE] += -(PIECES_OF(int)[][P_ITEM, SITE] * P_PRICE);
   PRICE_OF(int)[][P_ITEM] += -P_PRICE;
}
ON SYSTEM READY {
}
