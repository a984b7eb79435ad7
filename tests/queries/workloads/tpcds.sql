-- TPC-DS: the 13 queries of the thesis on DBToaster (table A.1), with all their clauses, over the columns they read.
-- Keys of a sale may be NULL, as in the benchmark's data.
CREATE STREAM store_sales (
    ss_sold_date_sk INT NULL, ss_item_sk INT, ss_customer_sk INT NULL, ss_cdemo_sk INT NULL, ss_hdemo_sk INT NULL,
    ss_addr_sk INT NULL, ss_store_sk INT NULL, ss_promo_sk INT NULL, ss_ticket_number INT, ss_quantity INT NULL,
    ss_list_price DECIMAL(7,2) NULL, ss_sales_price DECIMAL(7,2) NULL, ss_ext_sales_price DECIMAL(7,2) NULL,
    ss_ext_list_price DECIMAL(7,2) NULL, ss_ext_tax DECIMAL(7,2) NULL, ss_coupon_amt DECIMAL(7,2) NULL,
    ss_net_profit DECIMAL(7,2) NULL, PRIMARY KEY (ss_item_sk, ss_ticket_number));
CREATE STREAM item (
    i_item_sk INT PRIMARY KEY, i_item_id CHAR(16), i_brand_id INT NULL, i_brand CHAR(50) NULL, i_category_id INT NULL,
    i_category CHAR(50) NULL, i_manufact_id INT NULL, i_manufact CHAR(50) NULL, i_manager_id INT NULL);
CREATE STREAM customer (
    c_customer_sk INT PRIMARY KEY, c_current_addr_sk INT NULL, c_salutation CHAR(10) NULL, c_first_name CHAR(20) NULL,
    c_last_name CHAR(30) NULL, c_preferred_cust_flag CHAR(1) NULL);
CREATE STREAM customer_address (ca_address_sk INT PRIMARY KEY, ca_city VARCHAR(60) NULL, ca_zip CHAR(10) NULL);
CREATE STREAM store (
    s_store_sk INT PRIMARY KEY, s_store_id CHAR(16), s_store_name VARCHAR(50) NULL, s_number_employees INT NULL,
    s_city VARCHAR(60) NULL, s_county VARCHAR(30) NULL, s_state CHAR(2) NULL, s_zip CHAR(10) NULL,
    s_gmt_offset DECIMAL(5,2) NULL);
CREATE STREAM promotion (p_promo_sk INT PRIMARY KEY, p_channel_email CHAR(1) NULL, p_channel_event CHAR(1) NULL);
CREATE TABLE date_dim (
    d_date_sk INT PRIMARY KEY, d_year INT, d_moy INT, d_dom INT, d_dow INT, d_day_name CHAR(9));
CREATE TABLE customer_demographics (
    cd_demo_sk INT PRIMARY KEY, cd_gender CHAR(1), cd_marital_status CHAR(1), cd_education_status CHAR(20));
CREATE TABLE household_demographics (
    hd_demo_sk INT PRIMARY KEY, hd_buy_potential CHAR(15), hd_dep_count INT, hd_vehicle_count INT);

CREATE VIEW q3 AS
    SELECT dt.d_year, item.i_brand_id AS brand_id, item.i_brand AS brand, SUM(ss_ext_sales_price) AS sum_agg
    FROM date_dim dt, store_sales, item
    WHERE dt.d_date_sk = store_sales.ss_sold_date_sk AND store_sales.ss_item_sk = item.i_item_sk
      AND item.i_manufact_id = 128 AND dt.d_moy = 11
    GROUP BY dt.d_year, item.i_brand, item.i_brand_id
    ORDER BY dt.d_year, sum_agg DESC, brand_id
    LIMIT 100;

CREATE VIEW q7 AS
    SELECT i_item_id, AVG(ss_quantity) AS agg1, AVG(ss_list_price) AS agg2, AVG(ss_coupon_amt) AS agg3,
           AVG(ss_sales_price) AS agg4
    FROM store_sales, customer_demographics, date_dim, item, promotion
    WHERE ss_sold_date_sk = d_date_sk AND ss_item_sk = i_item_sk AND ss_cdemo_sk = cd_demo_sk AND ss_promo_sk = p_promo_sk
      AND cd_gender = 'M' AND cd_marital_status = 'S' AND cd_education_status = 'College'
      AND (p_channel_email = 'N' OR p_channel_event = 'N') AND d_year = 2000
    GROUP BY i_item_id
    ORDER BY i_item_id
    LIMIT 100;

CREATE VIEW q19 AS
    SELECT i_brand_id AS brand_id, i_brand AS brand, i_manufact_id, i_manufact, SUM(ss_ext_sales_price) AS ext_price
    FROM date_dim, store_sales, item, customer, customer_address, store
    WHERE d_date_sk = ss_sold_date_sk AND ss_item_sk = i_item_sk AND i_manager_id = 8 AND d_moy = 11 AND d_year = 1999
      AND ss_customer_sk = c_customer_sk AND c_current_addr_sk = ca_address_sk
      AND SUBSTR(ca_zip, 1, 5) <> SUBSTR(s_zip, 1, 5) AND ss_store_sk = s_store_sk
    GROUP BY i_brand, i_brand_id, i_manufact_id, i_manufact
    ORDER BY ext_price DESC, i_brand, i_brand_id, i_manufact_id, i_manufact
    LIMIT 100;

CREATE VIEW q27 AS
    SELECT i_item_id, s_state, GROUPING(s_state) AS g_state, AVG(ss_quantity) AS agg1, AVG(ss_list_price) AS agg2,
           AVG(ss_coupon_amt) AS agg3, AVG(ss_sales_price) AS agg4
    FROM store_sales, customer_demographics, date_dim, store, item
    WHERE ss_sold_date_sk = d_date_sk AND ss_item_sk = i_item_sk AND ss_store_sk = s_store_sk AND ss_cdemo_sk = cd_demo_sk
      AND cd_gender = 'M' AND cd_marital_status = 'S' AND cd_education_status = 'College' AND d_year = 2000
      AND s_state IN ('TN', 'SD', 'AL', 'GA', 'OH', 'LA')
    GROUP BY ROLLUP (i_item_id, s_state)
    ORDER BY i_item_id, s_state
    LIMIT 100;

CREATE VIEW q34 AS
    SELECT c_last_name, c_first_name, c_salutation, c_preferred_cust_flag, ss_ticket_number, cnt
    FROM (SELECT ss_ticket_number, ss_customer_sk, COUNT(*) AS cnt
          FROM store_sales, date_dim, store, household_demographics
          WHERE store_sales.ss_sold_date_sk = date_dim.d_date_sk AND store_sales.ss_store_sk = store.s_store_sk
            AND store_sales.ss_hdemo_sk = household_demographics.hd_demo_sk
            AND (date_dim.d_dom BETWEEN 1 AND 3 OR date_dim.d_dom BETWEEN 25 AND 28)
            AND (household_demographics.hd_buy_potential = '>10000' OR household_demographics.hd_buy_potential = 'Unknown')
            AND household_demographics.hd_vehicle_count > 0
            AND (CASE WHEN household_demographics.hd_vehicle_count > 0
                      THEN household_demographics.hd_dep_count / household_demographics.hd_vehicle_count
                      ELSE NULL END) > 1.2
            AND date_dim.d_year IN (1999, 1999 + 1, 1999 + 2)
            AND store.s_county IN ('Williamson County', 'Ziebach County', 'Walker County', 'Daviess County')
          GROUP BY ss_ticket_number, ss_customer_sk) dn, customer
    WHERE ss_customer_sk = c_customer_sk AND cnt BETWEEN 2 AND 20
    ORDER BY c_last_name, c_first_name, c_salutation, c_preferred_cust_flag DESC, ss_ticket_number;

CREATE VIEW q42 AS
    SELECT dt.d_year, item.i_category_id, item.i_category, SUM(ss_ext_sales_price)
    FROM date_dim dt, store_sales, item
    WHERE dt.d_date_sk = store_sales.ss_sold_date_sk AND store_sales.ss_item_sk = item.i_item_sk
      AND item.i_manager_id = 1 AND dt.d_moy = 11 AND dt.d_year = 2000
    GROUP BY dt.d_year, item.i_category_id, item.i_category
    ORDER BY SUM(ss_ext_sales_price) DESC, dt.d_year, item.i_category_id, item.i_category
    LIMIT 100;

CREATE VIEW q43 AS
    SELECT s_store_name, s_store_id,
           SUM(CASE WHEN d_day_name = 'Sunday' THEN ss_sales_price ELSE NULL END) AS sun_sales,
           SUM(CASE WHEN d_day_name = 'Monday' THEN ss_sales_price ELSE NULL END) AS mon_sales,
           SUM(CASE WHEN d_day_name = 'Tuesday' THEN ss_sales_price ELSE NULL END) AS tue_sales,
           SUM(CASE WHEN d_day_name = 'Wednesday' THEN ss_sales_price ELSE NULL END) AS wed_sales,
           SUM(CASE WHEN d_day_name = 'Thursday' THEN ss_sales_price ELSE NULL END) AS thu_sales,
           SUM(CASE WHEN d_day_name = 'Friday' THEN ss_sales_price ELSE NULL END) AS fri_sales,
           SUM(CASE WHEN d_day_name = 'Saturday' THEN ss_sales_price ELSE NULL END) AS sat_sales
    FROM date_dim, store_sales, store
    WHERE d_date_sk = ss_sold_date_sk AND s_store_sk = ss_store_sk AND s_gmt_offset = -5 AND d_year = 2000
    GROUP BY s_store_name, s_store_id
    ORDER BY s_store_name, s_store_id, sun_sales, mon_sales, tue_sales, wed_sales, thu_sales, fri_sales, sat_sales
    LIMIT 100;

CREATE VIEW q46 AS
    SELECT c_last_name, c_first_name, ca_city, bought_city, ss_ticket_number, amt, profit
    FROM (SELECT ss_ticket_number, ss_customer_sk, ca_city AS bought_city, SUM(ss_coupon_amt) AS amt,
                 SUM(ss_net_profit) AS profit
          FROM store_sales, date_dim, store, household_demographics, customer_address
          WHERE store_sales.ss_sold_date_sk = date_dim.d_date_sk AND store_sales.ss_store_sk = store.s_store_sk
            AND store_sales.ss_hdemo_sk = household_demographics.hd_demo_sk
            AND store_sales.ss_addr_sk = customer_address.ca_address_sk
            AND (household_demographics.hd_dep_count = 4 OR household_demographics.hd_vehicle_count = 3)
            AND date_dim.d_dow IN (6, 0) AND date_dim.d_year IN (1999, 1999 + 1, 1999 + 2)
            AND store.s_city IN ('Fairview', 'Midway', 'Oak Grove')
          GROUP BY ss_ticket_number, ss_customer_sk, ss_addr_sk, ca_city) dn, customer, customer_address current_addr
    WHERE ss_customer_sk = c_customer_sk AND customer.c_current_addr_sk = current_addr.ca_address_sk
      AND current_addr.ca_city <> bought_city
    ORDER BY c_last_name, c_first_name, ca_city, bought_city, ss_ticket_number
    LIMIT 100;

CREATE VIEW q52 AS
    SELECT dt.d_year, item.i_brand_id AS brand_id, item.i_brand AS brand, SUM(ss_ext_sales_price) AS ext_price
    FROM date_dim dt, store_sales, item
    WHERE dt.d_date_sk = store_sales.ss_sold_date_sk AND store_sales.ss_item_sk = item.i_item_sk
      AND item.i_manager_id = 1 AND dt.d_moy = 11 AND dt.d_year = 2000
    GROUP BY dt.d_year, item.i_brand, item.i_brand_id
    ORDER BY dt.d_year, ext_price DESC, brand_id
    LIMIT 100;

CREATE VIEW q55 AS
    SELECT i_brand_id AS brand_id, i_brand AS brand, SUM(ss_ext_sales_price) AS ext_price
    FROM date_dim, store_sales, item
    WHERE d_date_sk = ss_sold_date_sk AND ss_item_sk = i_item_sk AND i_manager_id = 28 AND d_moy = 11 AND d_year = 1999
    GROUP BY i_brand, i_brand_id
    ORDER BY ext_price DESC, brand_id
    LIMIT 100;

CREATE VIEW q68 AS
    SELECT c_last_name, c_first_name, ca_city, bought_city, ss_ticket_number, extended_price, extended_tax, list_price
    FROM (SELECT ss_ticket_number, ss_customer_sk, ca_city AS bought_city, SUM(ss_ext_sales_price) AS extended_price,
                 SUM(ss_ext_list_price) AS list_price, SUM(ss_ext_tax) AS extended_tax
          FROM store_sales, date_dim, store, household_demographics, customer_address
          WHERE store_sales.ss_sold_date_sk = date_dim.d_date_sk AND store_sales.ss_store_sk = store.s_store_sk
            AND store_sales.ss_hdemo_sk = household_demographics.hd_demo_sk
            AND store_sales.ss_addr_sk = customer_address.ca_address_sk AND date_dim.d_dom BETWEEN 1 AND 2
            AND (household_demographics.hd_dep_count = 4 OR household_demographics.hd_vehicle_count = 3)
            AND date_dim.d_year IN (1999, 1999 + 1, 1999 + 2) AND store.s_city IN ('Midway', 'Fairview')
          GROUP BY ss_ticket_number, ss_customer_sk, ss_addr_sk, ca_city) dn, customer, customer_address current_addr
    WHERE ss_customer_sk = c_customer_sk AND customer.c_current_addr_sk = current_addr.ca_address_sk
      AND current_addr.ca_city <> bought_city
    ORDER BY c_last_name, ss_ticket_number
    LIMIT 100;

CREATE VIEW q73 AS
    SELECT c_last_name, c_first_name, c_salutation, c_preferred_cust_flag, ss_ticket_number, cnt
    FROM (SELECT ss_ticket_number, ss_customer_sk, COUNT(*) AS cnt
          FROM store_sales, date_dim, store, household_demographics
          WHERE store_sales.ss_sold_date_sk = date_dim.d_date_sk AND store_sales.ss_store_sk = store.s_store_sk
            AND store_sales.ss_hdemo_sk = household_demographics.hd_demo_sk AND date_dim.d_dom BETWEEN 1 AND 2
            AND (household_demographics.hd_buy_potential = '>10000' OR household_demographics.hd_buy_potential = 'Unknown')
            AND household_demographics.hd_vehicle_count > 0
            AND CASE WHEN household_demographics.hd_vehicle_count > 0
                     THEN household_demographics.hd_dep_count / household_demographics.hd_vehicle_count
                     ELSE NULL END > 1
            AND date_dim.d_year IN (1999, 1999 + 1, 1999 + 2)
            AND store.s_county IN ('Williamson County', 'Ziebach County', 'Walker County', 'Daviess County')
          GROUP BY ss_ticket_number, ss_customer_sk) dj, customer
    WHERE ss_customer_sk = c_customer_sk AND cnt BETWEEN 1 AND 5
    ORDER BY cnt DESC, c_last_name ASC;

CREATE VIEW q79 AS
    SELECT c_last_name, c_first_name, SUBSTR(s_city, 1, 30), ss_ticket_number, amt, profit
    FROM (SELECT ss_ticket_number, ss_customer_sk, store.s_city, SUM(ss_coupon_amt) AS amt, SUM(ss_net_profit) AS profit
          FROM store_sales, date_dim, store, household_demographics
          WHERE store_sales.ss_sold_date_sk = date_dim.d_date_sk AND store_sales.ss_store_sk = store.s_store_sk
            AND store_sales.ss_hdemo_sk = household_demographics.hd_demo_sk
            AND (household_demographics.hd_dep_count = 6 OR household_demographics.hd_vehicle_count > 2)
            AND date_dim.d_dow = 1 AND date_dim.d_year IN (1999, 1999 + 1, 1999 + 2)
            AND store.s_number_employees BETWEEN 200 AND 295
          GROUP BY ss_ticket_number, ss_customer_sk, ss_addr_sk, store.s_city) ms, customer
    WHERE ss_customer_sk = c_customer_sk
    ORDER BY c_last_name, c_first_name, SUBSTR(s_city, 1, 30), profit
    LIMIT 100;
