-- A form once took any number of milliseconds. Less than an hour is no schedule, and one below nothing was due for ever,
-- which held the whole program; what lies beyond a year can't be written as a date.
UPDATE `documents` SET `refresh_every` = NULL, `refresh_at` = NULL WHERE `refresh_every` NOT BETWEEN 3600000 AND 31622400000;
