import { z } from "zod";
import { AppError } from "~/core/errors";
import { definePlugin, definePluginTool, type PluginContext } from "../../plugin";
import { COLUMNS, SCHEMAS, TABLES } from "./statements";

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

export const postgresExplorer = definePlugin(
  {
    id: "postgres-explorer",
    title: "PostgreSQL Explorer",
    author: "Quarterdeck",
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
