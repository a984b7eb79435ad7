-- Many-way joins in the manner of the Join Order Benchmark: films with their companies, people, keywords and facts; stars,
-- chains and cycles of 4 to 12 relations, most of them dimensions under several aliases, answered with MIN and COUNT.
CREATE STREAM title (id INT PRIMARY KEY, title VARCHAR, kind_id INT, production_year INT NULL);
CREATE STREAM movie_companies (movie_id INT, company_id INT, company_type_id INT, note VARCHAR NULL);
CREATE STREAM movie_info (movie_id INT, info_type_id INT, info VARCHAR);
CREATE STREAM movie_info_idx (movie_id INT, info_type_id INT, info VARCHAR);
CREATE STREAM movie_keyword (movie_id INT, keyword_id INT);
CREATE STREAM movie_link (movie_id INT, linked_movie_id INT, link_type_id INT);
CREATE STREAM cast_info (person_id INT, movie_id INT, person_role_id INT NULL, role_id INT, note VARCHAR NULL);
CREATE STREAM name (id INT PRIMARY KEY, name VARCHAR, gender VARCHAR NULL);
CREATE STREAM aka_name (person_id INT, name VARCHAR);
CREATE STREAM char_name (id INT PRIMARY KEY, name VARCHAR);
CREATE STREAM company_name (id INT PRIMARY KEY, name VARCHAR, country_code VARCHAR NULL);
CREATE STREAM keyword (id INT PRIMARY KEY, keyword VARCHAR);
CREATE TABLE company_type (id INT PRIMARY KEY, kind VARCHAR);
CREATE TABLE info_type (id INT PRIMARY KEY, info VARCHAR);
CREATE TABLE kind_type (id INT PRIMARY KEY, kind VARCHAR);
CREATE TABLE link_type (id INT PRIMARY KEY, link VARCHAR);
CREATE TABLE role_type (id INT PRIMARY KEY, role VARCHAR);

-- 5 relations: titles of a keyword, made in one country
CREATE VIEW by_country AS
    SELECT MIN(t.title) AS movie_title
    FROM company_name cn, keyword k, movie_companies mc, movie_keyword mk, title t
    WHERE cn.country_code = '[de]' AND k.keyword = 'sequel' AND cn.id = mc.company_id AND mc.movie_id = t.id
      AND t.id = mk.movie_id AND mk.keyword_id = k.id AND mc.movie_id = mk.movie_id;
-- 5: production companies of well-rated films
CREATE VIEW rated_productions AS
    SELECT MIN(mc.note) AS production_note, MIN(t.title) AS movie_title, MIN(t.production_year) AS movie_year
    FROM company_type ct, info_type it, movie_companies mc, movie_info_idx mi_idx, title t
    WHERE ct.kind = 'production companies' AND it.info = 'top 250 rank' AND mc.note NOT LIKE '%(as Metro%'
      AND ct.id = mc.company_type_id AND t.id = mc.movie_id AND t.id = mi_idx.movie_id AND mc.movie_id = mi_idx.movie_id
      AND it.id = mi_idx.info_type_id;
-- 6: sequels by kind and rating, counted per year
CREATE VIEW sequels_by_year AS
    SELECT t.production_year, COUNT(*) AS n, MIN(mi_idx.info) AS rating
    FROM info_type it, keyword k, kind_type kt, movie_info_idx mi_idx, movie_keyword mk, title t
    WHERE it.info = 'rating' AND k.keyword LIKE '%sequel%' AND kt.kind IN ('movie', 'episode') AND mi_idx.info > '2.0'
      AND t.production_year > 1990 AND t.id = mi_idx.movie_id AND t.id = mk.movie_id AND mk.movie_id = mi_idx.movie_id
      AND k.id = mk.keyword_id AND it.id = mi_idx.info_type_id AND kt.id = t.kind_id
    GROUP BY t.production_year;
-- 7: people under other names in films of a country
CREATE VIEW other_names AS
    SELECT MIN(an.name) AS alternative_name, MIN(chn.name) AS character_name, MIN(t.title) AS movie
    FROM aka_name an, char_name chn, cast_info ci, company_name cn, movie_companies mc, name n, title t
    WHERE ci.note IN ('(voice)', '(uncredited)') AND cn.country_code = '[us]' AND n.gender = 'f'
      AND ci.movie_id = t.id AND t.id = mc.movie_id AND ci.movie_id = mc.movie_id AND mc.company_id = cn.id
      AND n.id = ci.person_id AND chn.id = ci.person_role_id AND an.person_id = n.id AND an.person_id = ci.person_id;
-- 8: linked films and their companies
CREATE VIEW links AS
    SELECT MIN(cn.name) AS company, MIN(lt.link) AS link_type, COUNT(*) AS n
    FROM company_name cn, company_type ct, keyword k, link_type lt, movie_companies mc, movie_keyword mk, movie_link ml,
         title t
    WHERE cn.country_code <> '[pl]' AND ct.kind = 'production companies' AND k.keyword = 'sequel' AND lt.link LIKE '%follow%'
      AND lt.id = ml.link_type_id AND ml.movie_id = t.id AND t.id = mk.movie_id AND mk.keyword_id = k.id
      AND t.id = mc.movie_id AND mc.company_type_id = ct.id AND mc.company_id = cn.id AND ml.movie_id = mk.movie_id
      AND ml.movie_id = mc.movie_id AND mk.movie_id = mc.movie_id;
-- 9: casts with roles, facts and companies
CREATE VIEW casts AS
    SELECT COUNT(*) AS n, MIN(n.name) AS actress
    FROM cast_info ci, company_name cn, info_type it, movie_companies mc, movie_info mi, name n, role_type rt, title t,
         kind_type kt
    WHERE rt.role = 'actress' AND n.gender = 'f' AND it.info = 'release dates' AND cn.country_code = '[us]'
      AND t.id = mi.movie_id AND t.id = mc.movie_id AND t.id = ci.movie_id AND mc.company_id = cn.id
      AND it.id = mi.info_type_id AND n.id = ci.person_id AND rt.id = ci.role_id AND kt.id = t.kind_id;
-- 10: two facts and a link of one film
CREATE VIEW facts AS
    SELECT kt.kind, COUNT(*) AS n
    FROM info_type it1, info_type it2, movie_info mi, movie_info_idx mi_idx, title t, kind_type kt, movie_keyword mk,
         keyword k, movie_companies mc, company_name cn
    WHERE it1.info = 'genres' AND it2.info = 'rating' AND mi.info IN ('Drama', 'Horror') AND mi_idx.info < '8.5'
      AND t.id = mi.movie_id AND t.id = mi_idx.movie_id AND t.id = mk.movie_id AND t.id = mc.movie_id
      AND it1.id = mi.info_type_id AND it2.id = mi_idx.info_type_id AND kt.id = t.kind_id AND k.id = mk.keyword_id
      AND cn.id = mc.company_id
    GROUP BY kt.kind;
-- 11: pairs of linked films, each with kind, rating and company
CREATE VIEW linked_pairs AS
    SELECT COUNT(*) AS n, MIN(t1.title) AS first_title, MIN(t2.title) AS second_title
    FROM movie_link ml, link_type lt, title t1, title t2, kind_type kt1, kind_type kt2, movie_info_idx mi1, movie_info_idx mi2,
         info_type it, movie_companies mc1, company_name cn1
    WHERE lt.id = ml.link_type_id AND t1.id = ml.movie_id AND t2.id = ml.linked_movie_id AND kt1.id = t1.kind_id
      AND kt2.id = t2.kind_id AND mi1.movie_id = t1.id AND mi2.movie_id = t2.id AND it.id = mi1.info_type_id
      AND it.id = mi2.info_type_id AND it.info = 'rating' AND mi2.info < '3.5' AND mc1.movie_id = t1.id
      AND cn1.id = mc1.company_id AND cn1.country_code = '[us]';
-- 12: everything about a film
CREATE VIEW everything AS
    SELECT t.production_year, COUNT(*) AS n
    FROM title t, kind_type kt, movie_companies mc, company_name cn, company_type ct, movie_info mi, info_type it,
         movie_keyword mk, keyword k, cast_info ci, name p, role_type rt
    WHERE kt.id = t.kind_id AND mc.movie_id = t.id AND cn.id = mc.company_id AND ct.id = mc.company_type_id
      AND mi.movie_id = t.id AND it.id = mi.info_type_id AND mk.movie_id = t.id AND k.id = mk.keyword_id
      AND ci.movie_id = t.id AND p.id = ci.person_id AND rt.id = ci.role_id AND kt.kind = 'movie'
    GROUP BY t.production_year;
-- 12: the same with the first values in alphabetical order
CREATE VIEW everything_first AS
    SELECT MIN(t.title) AS title, MIN(p.name) AS person
    FROM title t, kind_type kt, movie_companies mc, company_name cn, company_type ct, movie_info mi, info_type it,
         movie_keyword mk, keyword k, cast_info ci, name p, role_type rt
    WHERE kt.id = t.kind_id AND mc.movie_id = t.id AND cn.id = mc.company_id AND ct.id = mc.company_type_id
      AND mi.movie_id = t.id AND it.id = mi.info_type_id AND mk.movie_id = t.id AND k.id = mk.keyword_id
      AND ci.movie_id = t.id AND p.id = ci.person_id AND rt.id = ci.role_id AND kt.kind = 'movie';
