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

async function post<T>(server: TestServer, path: string, json: unknown): Promise<T> {
  const response = await server.ask(path, { as: "owner", json });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text.slice(0, 300)}`);
  return JSON.parse(text) as T;
}

const part = (id: string, type: string, config: Record<string, unknown>, name?: string): Part => ({
  id,
  type,
  config,
  ...(name ? { name } : {}),
});
const model = "quarterdeck-offline";

/** Runs of every state but queued: succeeded, failed, waiting and running. */
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

/** Workflows with runs, as a team has them after some days. */
export async function addWorkflows(server: TestServer): Promise<void> {
  for (const workflow of USUAL) {
    const { id } = await post<Made>(server, "/api/workflows", workflow);
    await post(server, `/api/workflows/run/${id}`, { payload: { topic: "the team lunch", urgent: true } });
  }
  const isBusy = async () => {
    const runs = (await (await server.ask("/api/runs", { as: "owner" })).json()) as { state: string }[];
    return runs.some(({ state }) => state === "queued" || state === "running");
  };
  while (await isBusy()) await setTimeout(100);
}

/** Workflows with names and graphs as large as they may be. */
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
