-- Followers and posts: chains of self-joins that end in another relation, fan-out, two graphs.
CREATE STREAM follower (followee INT, follower INT);
CREATE STREAM tweet (tweet INT, author INT, likes INT);
CREATE STREAM tag (tweet INT, word VARCHAR);

CREATE VIEW feed AS SELECT f.follower, t.tweet FROM follower f, tweet t WHERE f.followee = t.author;
CREATE VIEW feed_two AS
    SELECT f1.follower, t.tweet FROM follower f1, follower f2, tweet t
    WHERE f1.followee = f2.follower AND f2.followee = t.author;
CREATE VIEW feed_two_counted AS
    SELECT f1.follower, COUNT(*) AS n, SUM(t.likes) AS likes FROM follower f1, follower f2, tweet t
    WHERE f1.followee = f2.follower AND f2.followee = t.author GROUP BY f1.follower;
CREATE VIEW feed_three AS
    SELECT f1.follower, t.tweet FROM follower f1, follower f2, follower f3, tweet t
    WHERE f1.followee = f2.follower AND f2.followee = f3.follower AND f3.followee = t.author;
CREATE VIEW feed_three_counted AS
    SELECT COUNT(*) AS n FROM follower f1, follower f2, follower f3, tweet t
    WHERE f1.followee = f2.follower AND f2.followee = f3.follower AND f3.followee = t.author;
CREATE VIEW fan_out AS SELECT t.tweet, COUNT(*) AS n FROM tweet t, follower f WHERE t.author = f.followee GROUP BY t.tweet;
CREATE VIEW words AS
    SELECT g.word, f.follower, SUM(t.likes) AS likes FROM tag g, tweet t, follower f
    WHERE g.tweet = t.tweet AND t.author = f.followee GROUP BY g.word, f.follower;
CREATE VIEW mutual AS SELECT x.followee, x.follower FROM follower x, follower y WHERE x.followee = y.follower AND x.follower = y.followee;
CREATE VIEW shared_words AS
    SELECT x.author, y.author AS other, COUNT(*) AS n FROM tweet x, tag g, tag h, tweet y
    WHERE x.tweet = g.tweet AND g.word = h.word AND h.tweet = y.tweet GROUP BY x.author, y.author;
CREATE VIEW friends_of_friends AS
    SELECT COUNT(*) AS n FROM follower x, follower y, follower z
    WHERE x.follower = y.followee AND y.follower = z.followee AND x.followee = z.follower AND x.followee < y.followee;
