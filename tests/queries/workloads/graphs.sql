-- Social graphs: the queries of the thesis on GraphIVM and their counted forms, both chains at all lengths, and cycles.
-- A follower row says that followerid follows userid; a retweet repeats the tweet retweettweetid.
CREATE STREAM users (userid INT);
CREATE STREAM follower (userid INT, followerid INT);
CREATE STREAM tweet (userid INT, tweetid INT, tweetdate DATE);
CREATE STREAM retweet (userid INT, tweetid INT, tweetdate DATE, retweettweetid INT);

CREATE VIEW q1 AS SELECT u.userid, t.tweetid, t.tweetdate FROM users u, tweet t WHERE u.userid = t.userid;
CREATE VIEW q1_agg AS SELECT u.userid, COUNT(*) AS tweets FROM users u, tweet t WHERE u.userid = t.userid GROUP BY u.userid;
CREATE VIEW q2 AS
    SELECT f.followerid, t.tweetid, t.tweetdate FROM follower f, tweet t WHERE f.userid = t.userid;
CREATE VIEW q2_agg AS
    SELECT f.followerid, COUNT(*) AS tweets FROM follower f, tweet t WHERE f.userid = t.userid GROUP BY f.followerid;
CREATE VIEW q3 AS
    SELECT u.userid, t.tweetid, r.tweetid AS retweetid, r.tweetdate FROM users u, tweet t, retweet r
    WHERE u.userid = t.userid AND t.tweetid = r.retweettweetid;
CREATE VIEW q3_agg AS
    SELECT u.userid, COUNT(*) AS retweets FROM users u, tweet t, retweet r
    WHERE u.userid = t.userid AND t.tweetid = r.retweettweetid GROUP BY u.userid;
CREATE VIEW q_fanout AS
    SELECT f1.followerid, t.tweetid FROM follower f1, follower f2, tweet t
    WHERE f1.userid = f2.followerid AND f2.userid = t.userid;

CREATE VIEW follower_chain_1 AS
    SELECT f1.followerid, t.tweetid FROM follower f1, follower f2, tweet t
    WHERE f1.userid = f2.followerid AND f2.userid = t.userid;
CREATE VIEW follower_chain_2 AS
    SELECT f1.followerid, t.tweetid FROM follower f1, follower f2, follower f3, tweet t
    WHERE f1.userid = f2.followerid AND f2.userid = f3.followerid AND f3.userid = t.userid;
CREATE VIEW follower_chain_3 AS
    SELECT f1.followerid, t.tweetid FROM follower f1, follower f2, follower f3, follower f4, tweet t
    WHERE f1.userid = f2.followerid AND f2.userid = f3.followerid AND f3.userid = f4.followerid AND f4.userid = t.userid;
CREATE VIEW follower_chain_4 AS
    SELECT f1.followerid, t.tweetid FROM follower f1, follower f2, follower f3, follower f4, follower f5, tweet t
    WHERE f1.userid = f2.followerid AND f2.userid = f3.followerid AND f3.userid = f4.followerid
      AND f4.userid = f5.followerid AND f5.userid = t.userid;

CREATE VIEW retweet_chain_1 AS
    SELECT f.followerid, r1.tweetid FROM retweet r1, retweet r2, follower f
    WHERE r1.tweetid = r2.retweettweetid AND r2.userid = f.userid;
CREATE VIEW retweet_chain_2 AS
    SELECT f.followerid, r1.tweetid FROM retweet r1, retweet r2, retweet r3, follower f
    WHERE r1.tweetid = r2.retweettweetid AND r2.tweetid = r3.retweettweetid AND r3.userid = f.userid;
CREATE VIEW retweet_chain_3 AS
    SELECT f.followerid, r1.tweetid FROM retweet r1, retweet r2, retweet r3, retweet r4, follower f
    WHERE r1.tweetid = r2.retweettweetid AND r2.tweetid = r3.retweettweetid AND r3.tweetid = r4.retweettweetid
      AND r4.userid = f.userid;
CREATE VIEW retweet_chain_4 AS
    SELECT f.followerid, r1.tweetid FROM retweet r1, retweet r2, retweet r3, retweet r4, retweet r5, follower f
    WHERE r1.tweetid = r2.retweettweetid AND r2.tweetid = r3.retweettweetid AND r3.tweetid = r4.retweettweetid
      AND r4.tweetid = r5.retweettweetid AND r5.userid = f.userid;

CREATE VIEW triangles AS
    SELECT COUNT(*) AS n FROM follower x, follower y, follower z
    WHERE x.followerid = y.userid AND y.followerid = z.userid AND z.followerid = x.userid;
CREATE VIEW triangles_by_user AS
    SELECT x.userid, COUNT(*) AS n FROM follower x, follower y, follower z
    WHERE x.followerid = y.userid AND y.followerid = z.userid AND z.followerid = x.userid GROUP BY x.userid;
CREATE VIEW four_cycles AS
    SELECT COUNT(*) AS n FROM follower w, follower x, follower y, follower z
    WHERE w.followerid = x.userid AND x.followerid = y.userid AND y.followerid = z.userid AND z.followerid = w.userid;
CREATE VIEW mixed_triangles AS
    SELECT COUNT(*) AS n FROM follower f, tweet t, retweet r
    WHERE f.userid = t.userid AND t.tweetid = r.retweettweetid AND r.userid = f.followerid;
