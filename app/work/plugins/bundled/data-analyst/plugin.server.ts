import { z } from "zod";
import { ToolAddress } from "~/ai/tools/tools.schema";
import { AppError } from "~/core/errors";
import { parseWellFormed } from "~/core/well-formed";
import { bundledWorker, ProcessPool } from "~/core/worker-pool.server";
import { definePlugin, definePluginTool } from "../../plugin";
import { readText } from "../outside-text.server";
import { TablesResult, type TablesTask } from "./tables-task";

const TIMEOUT = 30_000;
const CSV_LIMIT = 2_000_000;
const MAX_LENGTH = 40_000;

/** Threads can't stop a statement; a process can be killed. */
const pool = new ProcessPool<TablesTask, TablesResult>({
  name: "tables",
  entry: bundledWorker("tables"),
  output: TablesResult,
  size: 1,
  timeoutMs: TIMEOUT,
  memoryMb: () => 256,
  tooLarge: "The statement needs too much memory. Use smaller tables or select fewer rows.",
});

const TableName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_]{0,39}$/, "Use a name of letters, digits and underscores")
  .describe("The table's name in the statement");
const Sql = z.string().trim().min(1).max(10_000).describe("One SELECT statement in SQLite's SQL");
const MaxRows = z.number().int().min(1).max(500).default(100);

async function query(task: Pick<TablesTask, "tables" | "sql" | "maxRows">, signal: AbortSignal) {
  const { rows, ...result } = await pool.run({ ...task, maxLength: MAX_LENGTH }, signal);
  return { ...result, rows: parseWellFormed(rows) };
}

export const dataAnalyst = definePlugin(
  {
    id: "data-analyst",
    title: "CSV & SQL Analyst",
    icon: "Table",
    description:
      "Answers questions about tables with SQL instead of guesses: attach CSV as text or by address, join several, group and count. Everything happens in memory in a process of its own; nothing is stored.",
    tags: ["csv", "sql", "analysis"],
    version: "1.0.0",
    released: "2026-11-20",
    featured: true,
    categories: ["data"],
    requests: { hosts: ["*"], effects: ["reads", "outside"] },
  },
  [
    definePluginTool({
      name: "query",
      title: "Query CSV with SQL",
      description:
        "Loads CSV texts with a header row as SQLite tables and runs one SELECT over them. Columns are named by the header, with other characters as underscores; numbers are numbers. The result lists each table's columns.",
      effect: "reads",
      input: z.object({
        tables: z
          .array(
            z.object({
              name: TableName,
              csv: z.string().min(1).max(500_000).describe("CSV with a header row"),
            }),
          )
          .min(1)
          .max(10),
        sql: Sql,
        maxRows: MaxRows,
      }),
      timeoutMs: TIMEOUT,
      run: (input, { signal }) => query(input, signal),
    }),
    definePluginTool({
      name: "query_url",
      title: "Query a CSV file from the web",
      description: "Fetches a CSV file, loads it as the SQLite table `data` and runs one SELECT over it.",
      effect: "outside",
      onlyFetches: true,
      input: z.object({ url: ToolAddress, sql: Sql, maxRows: MaxRows }),
      timeoutMs: TIMEOUT,
      async run({ url, sql, maxRows }, { fetch, signal }) {
        const csv = await readText(await fetch(url, { signal }));
        if (/^\s*<(?:!doctype|html)/i.test(csv))
          throw new AppError(
            "unprocessable",
            "This is a web page. Enter the address of the CSV file itself.",
          );
        return query({ tables: [{ name: "data", csv: csv.slice(0, CSV_LIMIT) }], sql, maxRows }, signal);
      },
    }),
  ],
);
