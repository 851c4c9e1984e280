import { z } from "zod";
import { fromJson, isBlank, numeric, requiredText, text, toggle } from "./step-config";
import { defineStep, type Json } from "./step-type";

const MAX_ROWS = 1000;
const MAX_PARAMETERS = 100;

const Parameters = z
  .preprocess(
    (value) => (isBlank(value) ? [] : fromJson(value)),
    z
      .array(z.unknown(), "Enter a list, such as [trigger.id, 10]")
      .max(MAX_PARAMETERS, `Use at most ${MAX_PARAMETERS} parameters`)
      .transform((values) => values as Json[]),
  )
  .default([]);

export const databaseQuery = defineStep({
  type: "database_query",
  label: "Database Query",
  description: "Run one SQL statement on the workspace database or a PostgreSQL database.",
  category: "Data",
  node: "action",
  icon: "Database",
  defaults: { connection: "", sql: "", parameters: "", write: false, maxRows: 100 },
  config: z.object({
    connection: text(100),
    sql: requiredText("Enter an SQL statement", 100_000),
    parameters: Parameters,
    write: toggle(false),
    maxRows: numeric(1, MAX_ROWS).default(100),
  }),
  fields: [
    {
      name: "connection",
      label: "Database",
      hint: "Choose the workspace database or a key reference of kind Database.",
      control: { kind: "database" },
    },
    {
      name: "sql",
      label: "SQL",
      hint: "Write one statement. Use $1, $2 and so on for parameters.",
      control: { kind: "code" },
      // Parameters only, so that values can't change the statement.
      language: "none",
    },
    {
      name: "parameters",
      label: "Parameters",
      hint: "Enter a list of values, such as [trigger.id, 10].",
      control: { kind: "expression" },
    },
    {
      name: "write",
      label: "Write access",
      hint: "Turn on for INSERT, UPDATE, DELETE and CREATE TABLE.",
      control: { kind: "switch" },
    },
    { name: "maxRows", label: "Max rows", control: { kind: "number", min: 1, max: MAX_ROWS, step: 1 } },
  ],
  outputs: { rows: "List of rows", rowCount: "Number of rows" },
  repeatable: ({ write }) => !write,
  timeoutMs: 30_000,
  async run({ config, services }) {
    return { output: await services.queryDatabase(config) };
  },
});
