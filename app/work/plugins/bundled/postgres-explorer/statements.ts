/** User schemas with table counts. */
export const SCHEMAS = `
SELECT n.nspname AS schema, count(c.oid) AS tables
FROM pg_namespace n
LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
GROUP BY n.nspname
ORDER BY n.nspname`;

/** The row count is the planner's estimate: counting would read each table. */
export const TABLES = `
SELECT c.relname AS name,
  CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'f' THEN 'foreign table' ELSE 'table' END AS kind,
  CASE WHEN c.reltuples >= 0 THEN c.reltuples::bigint END AS "estimatedRows",
  obj_description(c.oid, 'pg_class') AS comment
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
ORDER BY c.relname`;

export const COLUMNS = `
SELECT a.attname AS name,
  format_type(a.atttypid, a.atttypmod) AS type,
  NOT a.attnotnull AS nullable,
  pg_get_expr(d.adbin, d.adrelid) AS "default",
  EXISTS (
    SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary AND a.attnum = ANY (i.indkey)
  ) AS "primaryKey",
  (
    SELECT format('%s(%s)', k.confrelid::regclass, string_agg(f.attname, ', '))
    FROM pg_constraint k
    JOIN pg_attribute f ON f.attrelid = k.confrelid AND f.attnum = ANY (k.confkey)
    WHERE k.contype = 'f' AND k.conrelid = c.oid AND a.attnum = ANY (k.conkey)
    GROUP BY k.oid LIMIT 1
  ) AS "references",
  col_description(c.oid, a.attnum) AS comment
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
WHERE n.nspname = $1 AND c.relname = $2
ORDER BY a.attnum`;
