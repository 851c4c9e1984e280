import type { WorkflowTemplate } from "./template";

const CREATE = `CREATE TABLE IF NOT EXISTS orders (
  id INTEGER PRIMARY KEY,
  status TEXT NOT NULL,
  amount REAL NOT NULL,
  created_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
)`;

const REPORT = `SELECT status, count(*) AS orders, coalesce(sum(amount), 0) AS amount
FROM orders
WHERE created_at >= datetime('now', $1)
GROUP BY status
ORDER BY amount DESC`;

export const weeklyDatabaseReport: WorkflowTemplate = {
  id: "weekly-database-report",
  name: "Weekly database report",
  description: "Every Monday, have a model summarize the week's figures from the workspace database.",
  triggers: [
    { id: "every_monday", type: "schedule", config: { cron: "0 8 * * 1", timeZone: "" } },
    { id: "by_hand", type: "manual", config: {} },
  ],
  steps: [
    {
      id: "prepare",
      type: "database_query",
      name: "Create the table",
      config: { connection: "", sql: CREATE, parameters: "", write: true, maxRows: 1 },
    },
    {
      id: "figures",
      type: "database_query",
      name: "Read the week's figures",
      config: { connection: "", sql: REPORT, parameters: `["-7 days"]`, write: false, maxRows: 50 },
    },
    {
      id: "report",
      type: "ai_completion",
      name: "Write the report",
      config: {
        model: "",
        system: "You write short reports. Use only the figures you are given.",
        prompt:
          "Write a report of at most 100 words on the orders of the last seven days:\n{{ json(steps.figures.rows) }}",
        temperature: 0.3,
      },
    },
    {
      id: "note",
      type: "log",
      config: { level: "info", message: "Report on {{ steps.figures.rowCount }} kinds of orders." },
    },
    {
      id: "result",
      type: "return",
      config: { value: `{{ {"report": steps.report.text, "rows": steps.figures.rows} }}` },
    },
  ],
  connections: [],
};
