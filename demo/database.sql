CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL UNIQUE);
CREATE TABLE orders (
  id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users (id),
  item TEXT NOT NULL,
  cents INTEGER NOT NULL,
  status TEXT NOT NULL
);
INSERT INTO users (id, name, email) VALUES
  (1, 'Ada', 'ada@example.com'),
  (2, 'Grace', 'grace@example.com'),
  (3, 'Edsger', 'edsger@example.com');
INSERT INTO orders (id, user_id, item, cents, status) VALUES
  (1, 1, 'punch cards', 1200, 'shipped'),
  (2, 1, 'gear wheel', 4900, 'cancelled'),
  (3, 2, 'moth trap', 2500, 'shipped'),
  (4, 2, 'ruler', 800, 'cancelled'),
  (5, 3, 'fountain pen', 3600, 'open');
