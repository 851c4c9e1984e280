import { z } from "zod";
import { AppError } from "~/core/errors";
import { definePlugin, definePluginTool, type PluginContext } from "../../plugin";

const MAX_LISTED = 500;
const MAX_PARAMETERS = 50;

const Name = z.string().min(1).max(63);
const Schema = Name.default("public").describe("Name of the schema");
const Value = z.union([z.string().max(10_000), z.number(), z.boolean(), z.null()]);

interface Query {
  sql: string;
  parameters?: (string | number | boolean | null)[];
  maxRows?: number;
}

const run = ({ queryDatabase }: PluginContext, { sql, parameters = [], maxRows = MAX_LISTED }: Query) =>
  queryDatabase("database", { sql, parameters, maxRows });

/** The transaction is read-only anyway; this gives a better message. */
const CHANGE = /^(INSERT|UPDATE|DELETE|MERGE|CREATE|ALTER|DROP|TRUNCATE|GRANT|REVOKE)\b/i;

/** User schemas with table counts. */
const SCHEMAS = `
SELECT n.nspname AS schema, count(c.oid) AS tables
FROM pg_namespace n
LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
GROUP BY n.nspname
ORDER BY n.nspname`;

/** The row count is the planner's estimate: counting would read each table. */
const TABLES = `
SELECT c.relname AS name,
  CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'f' THEN 'foreign table' ELSE 'table' END AS kind,
  CASE WHEN c.reltuples >= 0 THEN c.reltuples::bigint END AS "estimatedRows",
  obj_description(c.oid, 'pg_class') AS comment
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
ORDER BY c.relname`;

const COLUMNS = `
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

export const postgresExplorer = definePlugin(
  {
    id: "postgres-explorer",
    title: "PostgreSQL Explorer",
    icon: "Database",
    description:
      "Lets a model look around in a PostgreSQL database: schemas, tables, columns, and one read-only statement at a time. Each runs in a read-only transaction with limits on time, rows and size. Use a database user that can only read what everyone may see.",
    tags: ["postgresql", "sql", "database"],
    version: "1.0.0",
    released: "2026-11-23",
    categories: ["data", "developer"],
    settings: [
      {
        name: "database",
        label: "Database",
        hint: "Choose a key reference of kind Database that holds the connection string",
        required: true,
        control: { kind: "key", of: "database" },
      },
    ],
    requests: { hosts: ["{database}"], keys: ["database"], effects: ["outside"] },
    brings: {
      prompts: [
        {
          id: "explore",
          name: "Explore a PostgreSQL database",
          text: "Look at the tables of the schema {{schema=public}} and their columns. Then answer with one read-only statement, and show the SQL: {{question}}",
        },
      ],
      templates: [
        {
          id: "table-sizes",
          name: "List the largest PostgreSQL tables",
          description: "On demand, list the ten tables with the most rows of a schema.",
          triggers: [{ id: "by_hand", type: "manual", config: {} }],
          steps: [
            {
              id: "tables",
              type: "run_tool",
              name: "List tables",
              config: {
                tool: "postgres-explorer.query",
                input: `{"sql": "SELECT relname AS name, n_live_tup AS rows FROM pg_stat_user_tables WHERE schemaname = $1 ORDER BY n_live_tup DESC LIMIT 10", "parameters": [trigger.?schema.orValue("public")]}`,
              },
            },
            { id: "result", type: "return", config: { value: "{{ steps.tables.rows }}" } },
          ],
          connections: [],
        },
      ],
    },
  },
  [
    definePluginTool({
      name: "schemas",
      title: "List schemas",
      description: "Lists the schemas of the PostgreSQL database with their number of tables.",
      effect: "outside",
      onlyFetches: true,
      input: z.object({}),
      run: (_, context) => run(context, { sql: SCHEMAS }),
    }),
    definePluginTool({
      name: "tables",
      title: "List tables",
      description: "Lists the tables and views of a schema with estimated row counts and comments.",
      effect: "outside",
      onlyFetches: true,
      input: z.object({ schema: Schema }),
      run: ({ schema }, context) => run(context, { sql: TABLES, parameters: [schema] }),
    }),
    definePluginTool({
      name: "columns",
      title: "List columns",
      description:
        "Lists a table's columns with types, defaults, primary key and references. Use it before writing a query.",
      effect: "outside",
      onlyFetches: true,
      input: z.object({ schema: Schema, table: Name.describe("Name of the table or view") }),
      async run({ schema, table }, context) {
        const columns = await run(context, { sql: COLUMNS, parameters: [schema, table] });
        if (columns.rowCount === 0)
          throw new AppError("not_found", `There is no table ${schema}.${table} that the user can see.`);
        return columns;
      },
    }),
    definePluginTool({
      name: "query",
      title: "Query",
      description:
        "Runs one SELECT (or WITH, VALUES, TABLE) in PostgreSQL's SQL, in a read-only transaction of at most 20 s. Write $1, $2 for parameters.",
      effect: "outside",
      onlyFetches: true,
      input: z.object({
        sql: z.string().trim().min(1).max(20_000).describe("One statement that only reads"),
        parameters: z.array(Value).max(MAX_PARAMETERS).default([]).describe("Values of $1, $2, …"),
        maxRows: z.number().int().min(1).max(200).default(50),
      }),
      async run(query, context) {
        const [, change] = CHANGE.exec(query.sql) ?? [];
        if (change !== undefined)
          throw new AppError("invalid", `${change.toUpperCase()} changes data. This plugin only reads.`);
        return run(context, query);
      },
    }),
  ],
);
