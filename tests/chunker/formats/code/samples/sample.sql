-- All users.
CREATE TABLE users (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL
);

-- Finds by name.
CREATE INDEX users_by_name ON users (name);

/* Those who
   are active. */
CREATE VIEW active_users AS
SELECT id, name
FROM users
WHERE name IS NOT NULL;

-- Adds one.
CREATE FUNCTION add_one(value INTEGER) RETURNS INTEGER AS $$
BEGIN
    RETURN value + 1;
END;
$$ LANGUAGE plpgsql;

INSERT INTO users (id, name)
VALUES
    (1, 'one'),
    (2, 'two');

SELECT
    u.id,
    u.name
FROM users u
JOIN active_users a ON a.id = u.id
WHERE u.id > 3
ORDER BY u.name;
