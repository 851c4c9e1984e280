import { setTimeout } from "node:timers/promises";
import type { TestServer } from "./server";

interface Part {
  id: string;
  type: string;
  name?: string;
  config: Record<string, unknown>;
}
interface Made {
  id: string;
  name: string;
}

async function post<T>(server: TestServer, path: string, json: unknown, method = "POST"): Promise<T> {
  const response = await server.ask(path, { as: "owner", method, json });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} returned HTTP ${response.status}: ${text.slice(0, 300)}`);
  return JSON.parse(text) as T;
}

const part = (id: string, type: string, config: Record<string, unknown>, name?: string): Part => ({
  id,
  type,
  config,
  ...(name ? { name } : {}),
});
const model = "quarterdeck-offline";

/** Runs that succeed, fail or wait. */
const USUAL = [
  {
    name: "Nine o'clock digest",
    description: "Sums up what the documents say about open decisions, and notes it for the team.",
    triggers: [part("every_morning", "schedule", { cron: "0 9 * * *" }), part("by_hand", "manual", {})],
    steps: [
      part("search", "search_documents", { query: "decisions and deadlines", topK: 5 }, "Find passages"),
      part(
        "digest",
        "ai_completion",
        { model, prompt: "Sum up: {{ steps.search.text }}" },
        "Write the digest",
      ),
      part("found", "condition", { condition: "steps.search.count >= 0" }, "Anything found?"),
      part("note", "log", { message: "Digest of {{ steps.search.count }} passages" }, "Note it"),
      part("nothing", "log", { message: "Nothing found", level: "warn" }, "Nothing to send"),
    ],
    connections: [
      { from: "every_morning", to: "search" },
      { from: "by_hand", to: "search" },
      { from: "search", to: "digest" },
      { from: "digest", to: "found" },
      { from: "found", to: "note", branch: "true" },
      { from: "found", to: "nothing", branch: "false" },
    ],
  },
  {
    name: "Check the status page",
    description: "",
    triggers: [part("hook", "webhook", { method: "POST" })],
    steps: [
      part("note", "log", { message: "A call came in" }),
      part("ask", "http_request", { url: "http://127.0.0.1:9/status" }, "Ask the status page"),
      part("value", "return", { value: "{{ steps.ask.status }}" }),
    ],
  },
  {
    name: "Ask before sending",
    description: "Has a model draft an email and waits for a person.",
    triggers: [part("by_hand", "manual", {})],
    steps: [
      part("draft", "ai_completion", { model, prompt: "An email about the team lunch" }, "Draft the email"),
      part("ask", "approval", { question: "Send this email?", details: "{{ steps.draft.text }}" }),
      part("sent", "log", { message: "Sent" }),
    ],
  },
  {
    name: "Import a list, slowly",
    description: "",
    triggers: [part("by_hand", "manual", {})],
    steps: [
      part("loop", "each", { items: "['one', 'two', 'three']", bodySteps: 1 }),
      part("item", "log", { message: "{{ item }}" }, "Note the item"),
      part("pause", "delay", { seconds: 3600 }),
      part("end", "log", { message: "Done" }),
    ],
  },
];

/** Takes a second or two to fail. */
const RETRYING = {
  name: "Weekly orders report",
  description: "Counts the orders of a week and notes the total.",
  triggers: [part("every_monday", "schedule", { cron: "0 7 * * 1" }), part("by_hand", "manual", {})],
  steps: [
    part("begin", "log", { message: "The report begins" }, "Note the start"),
    {
      ...part(
        "orders",
        "database_query",
        { sql: "SELECT count(*) AS orders FROM orders" },
        "Count the orders",
      ),
      options: { retries: 5, retryDelaySeconds: 300 },
    },
    part("total", "return", { value: "{{ steps.orders.rows }}" }),
  ],
};

interface DemoRun {
  id: string;
  state: string;
  workflowId: string;
}

async function listRuns(server: TestServer): Promise<DemoRun[]> {
  return (await (await server.ask("/api/runs?limit=200", { as: "owner" })).json()) as DemoRun[];
}

export async function addWorkflows(server: TestServer): Promise<void> {
  const run = async (workflow: object) => {
    const { id } = await post<Made>(server, "/api/workflows", workflow);
    await post(server, `/api/workflows/run/${id}`, { payload: { topic: "the team lunch", urgent: true } });
    return id;
  };
  const isBusy = async (...states: string[]) =>
    (await listRuns(server)).some(({ state }) => states.includes(state));
  for (const workflow of USUAL) await run(workflow);
  while (await isBusy("queued", "running")) await setTimeout(100);
  const id = await run(RETRYING);
  while (await isBusy("queued")) await setTimeout(100);
  const steps = RETRYING.steps.map((step) => ({ ...step, name: `${step.name ?? "Total"} of the week` }));
  await post(server, `/api/workflows/${id}`, { steps }, "PUT");
}

/** A run per state, a workflow with two versions, and an approval page. */
export async function workflowScreens(
  server: TestServer,
): Promise<readonly (readonly [path: string, heading: string])[]> {
  const runs = await listRuns(server);
  const states = runs.filter(({ state }, at) => runs.findIndex((run) => run.state === state) === at);
  const [newest] = runs;
  const waiting = await Promise.all(
    runs
      .filter(({ state }) => state === "waiting")
      .map(async ({ id }) => (await server.ask(`/workflows/runs/${id}`, { as: "owner" })).text()),
  );
  const link = /\/approve\/[\w.-]+/.exec(waiting.join("\n"))?.[0];
  return [
    ...states.map(({ id }) => [`/workflows/runs/${id}`, ""] as const),
    ...(newest
      ? ([
          [`/workflows/${newest.workflowId}`, ""],
          [`/workflows/${newest.workflowId}?from=1&to=2`, ""],
          [`/workflows/${newest.workflowId}?dialog=delete`, ""],
        ] as const)
      : []),
    ...(link ? ([[link, "Send this email?"]] as const) : []),
  ];
}

/** The longest names and largest graphs. */
export async function addManyWorkflows(server: TestServer, longName: string): Promise<void> {
  const steps = Array.from({ length: 40 }, (_, n) =>
    part(`step_${n}`, "log", { message: longName }, `${n} ${longName}`.slice(0, 80)),
  );
  const { id } = await post<Made>(server, "/api/workflows", {
    name: longName,
    description: `${longName}. `.repeat(8),
    triggers: [part("by_hand", "manual", {}), part("hook", "webhook", { method: "POST" })],
    steps,
  });
  for (let n = 0; n < 60; n++) await post(server, `/api/workflows/run/${id}`, { payload: { longName } });
  for (let n = 0; n < 40; n++)
    await post(server, "/api/workflows", { name: `${n} ${longName}`.slice(0, 120), description: longName });
}
