import { setTimeout } from "node:timers/promises";
import { AIMOCK_MODEL } from "./aimock";
import { addRichConversation } from "./demo-answers";
import { addDocuments, addManyDocuments } from "./demo-documents";
import { addManyWorkflows, addWorkflows } from "./demo-workflows";
import type { TestServer } from "./server";

const LONG_NAME =
  "Donaudampfschifffahrtsgesellschaftskapitänsmützenbeauftragte for the Northern Region and Overseas";

/** Names that break layouts: long, without spaces, right to left, of emoji. */
const ODD_NAMES = [
  "A name that never ends ".repeat(9).slice(0, 200).trim(),
  "Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz",
  "0123456789abcdef".repeat(5),
  "دليل العمليات الليلية لفريق الدعم والصيانة",
  "מדריך התפעול של צוות הלילה",
  "🚢🧭⚓️ 👩🏽‍🚀👨‍👩‍👧‍👦 🏴‍☠️",
];

async function post(server: TestServer, path: string, json: unknown): Promise<void> {
  const response = await server.ask(path, { as: "owner", json });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} returned HTTP ${response.status}: ${text.slice(0, 300)}`);
}

const persona = (name: string, systemPrompt: string, mode = "research") => ({
  name,
  systemPrompt,
  defaultModel: "gpt-4o",
  mode,
  tools: ["web.fetch", "kv.get"],
});

const ask = (content: string, model: string) => ({ messages: [{ role: "user", content }], model });

async function compare(server: TestServer, prompt: string, models: readonly string[]): Promise<void> {
  await post(server, "/api/ai/comparisons", { prompt, models });
  const list = async () =>
    (await (await server.ask("/api/ai/comparisons?limit=1", { as: "owner" })).json()) as {
      running: boolean;
    }[];
  while ((await list())[0]?.running) await setTimeout(100);
}

/** One needs a setting, one is disabled, one is rated. */
async function addPlugins(server: TestServer): Promise<void> {
  for (const id of ["web-scraping", "calculator", "webhook-notifier", "github-issues"])
    await server.ask(`/api/plugins/${id}/install`, { as: "owner", method: "POST" });
  const rate = { as: "owner", method: "PUT", json: { stars: 4 } } as const;
  await server.ask("/api/plugins/web-scraping/rating", rate);
  const off = { as: "owner", method: "PATCH", json: { enabled: false } } as const;
  await server.ask("/api/plugins/github-issues/config", off);
}

async function target(server: TestServer, name: string, model: string) {
  const providers = (await (await server.ask("/api/providers", { as: "owner" })).json()) as {
    id: string;
    displayName: string;
  }[];
  return { providerId: providers.find(({ displayName }) => displayName === name)?.id, model };
}

/** Hub lists, an unavailable provider, a shared model id, and a custom price. */
async function addModels(server: TestServer, modelServer: string): Promise<void> {
  const config = { baseUrl: modelServer, models: [AIMOCK_MODEL], maxConcurrent: 8, requestsPerMinute: 600 };
  const away = { baseUrl: "http://127.0.0.1:9/v1", models: ["llama-3.3-70b"] };
  await post(server, "/api/providers", { provider: "custom", displayName: "GPU room", config: away });
  await post(server, "/api/providers", { provider: "custom", displayName: "Second server", config });
  await post(server, "/api/models/discover", {});
  await post(server, "/api/models", {
    id: "team-best",
    name: "Team best",
    description: "The best model of this month, under one ID for all programs.",
    routing: {
      policy: "priority",
      fallbacks: [AIMOCK_MODEL],
      targets: [
        await target(server, "GPU room", "llama-3.3-70b"),
        await target(server, "Second server", AIMOCK_MODEL),
      ],
    },
  });
  const price = { cost: { input: 0.002, output: 0.008 }, recommended: true };
  const changed = await server.ask(`/api/models?id=${AIMOCK_MODEL}`, {
    as: "owner",
    method: "PATCH",
    json: price,
  });
  if (!changed.ok) throw new Error(`The price wasn't set: ${changed.status} ${await changed.text()}`);
}

const OWNER = "person:usr_owner";
const NEARLY_USED = 0.85;

interface Budget {
  id: string;
  target: string;
  unit: string;
  spent: number;
}

async function findBudget(server: TestServer, target: string): Promise<Budget> {
  const list = (await (await server.ask("/api/budgets", { as: "owner" })).json()) as Budget[];
  const found = list.find((budget) => budget.target === target && budget.unit === "tokens");
  if (!found) throw new Error(`${target} has no budget of tokens.`);
  return found;
}

async function addBudgets(server: TestServer): Promise<void> {
  const add = (budget: object) => post(server, "/api/budgets", { period: "month", warnAt: 80, ...budget });
  await add({ target: "organisation", unit: "money", limit: 25 });
  await add({ target: "organisation", unit: "tokens", limit: 50_000_000, period: "day" });
  const { spent } = await findBudget(server, "organisation");
  await add({ target: OWNER, unit: "tokens", limit: Math.ceil(spent / NEARLY_USED) });
  await add({ target: "person:usr_viewer", unit: "money", limit: 0, period: "day", warnAt: null });
}

/** @param share undefined for room enough */
async function setOwnBudget(server: TestServer, share?: number): Promise<void> {
  const { id, spent } = await findBudget(server, OWNER);
  const limit = share === undefined ? 40_000_000 : Math.ceil(spent / share);
  const changed = await server.ask(`/api/budgets/${id}`, { as: "owner", method: "PUT", json: { limit } });
  if (!changed.ok) throw new Error(`The budget wasn't set: ${changed.status} ${await changed.text()}`);
}

/** Typical data of a team. */
export async function addUsual(server: TestServer, modelServer: string): Promise<void> {
  const provider = {
    provider: "custom",
    enabled: true,
    config: { baseUrl: modelServer, models: [AIMOCK_MODEL] },
  };
  await post(server, "/api/providers", { ...provider, displayName: "Team server" });
  await addModels(server, modelServer);
  await post(server, "/api/keys", { provider: "openai", alias: "OPENAI_API_KEY" });
  await post(
    server,
    "/api/personas",
    persona("Research assistant", "Answer with sources, and say what you don't know."),
  );
  await post(
    server,
    "/api/personas",
    persona("Operations", "You help the people on call. Be brief.", "operations"),
  );
  await post(
    server,
    "/api/personas",
    persona("Reviewer", "Read the change and name its risks.", "development"),
  );
  await post(server, "/api/ai/chat", ask("kv.set greeting hello", "quarterdeck-offline"));
  await post(server, "/api/ai/chat", ask("Show me a table", AIMOCK_MODEL));
  await compare(server, "Show me a table", [AIMOCK_MODEL, "quarterdeck-offline"]);
  // The first provider is down: the footer shows both.
  await post(server, "/api/ai/chat", ask("greet the team", "team-best"));
  await post(server, "/api/members", { email: "new.colleague@example.org", role: "member" });
  await addDocuments(server);
  await addWorkflows(server);
  await addBudgets(server);
  await addPlugins(server);
}

/** Each odd name in every list that takes it; lists allow 40 to 200 characters. */
async function addOddNames(server: TestServer): Promise<void> {
  for (const name of ODD_NAMES) {
    const short = [...name].slice(0, 40).join("");
    await post(server, "/api/personas", persona(short, name));
    await post(server, "/api/prompts", { name: short, text: name });
    await post(server, "/api/groups", { name: short });
    await post(server, "/api/rag/categories", { name: short });
    await post(server, "/api/rag/ingest", { title: name.slice(0, 200), text: `${name}. `.repeat(5) });
    await post(server, "/api/workflows", { name: name.slice(0, 120), description: name });
    await post(server, "/api/ai/chat", ask(name, "quarterdeck-offline"));
    const config = { baseUrl: "http://127.0.0.1:9/v1", models: [`odd/${short}`] };
    await post(server, "/api/providers", { provider: "custom", displayName: name.slice(0, 100), config });
  }
}

/** Maximum amounts with the longest names. */
export async function addCrowd(server: TestServer, modelServer: string): Promise<void> {
  // Otherwise its questions would be refused.
  await setOwnBudget(server);
  for (let n = 0; n < 12; n++) {
    await post(server, "/api/providers", {
      provider: "custom",
      displayName: `${LONG_NAME} ${n}`.slice(-100),
      enabled: n % 3 > 0,
      config: { baseUrl: modelServer, models: [`${AIMOCK_MODEL}-with-a-name-that-never-seems-to-end-${n}`] },
    });
  }
  await post(server, "/api/providers", {
    provider: "custom",
    displayName: "Model zoo",
    config: { baseUrl: modelServer, models: Array.from({ length: 300 }, (_, n) => `zoo/model-${n + 1}`) },
  });
  for (let n = 0; n < 40; n++) {
    await post(server, "/api/models", {
      id: `house/${LONG_NAME.toLowerCase().replaceAll(" ", "-")}-${n}`,
      name: `${LONG_NAME} ${n}`,
      description: `${LONG_NAME}. `.repeat(4),
    });
  }
  for (let n = 0; n < 60; n++) {
    const name = n % 4 === 0 ? `${LONG_NAME} ${n}`.slice(-80) : `Persona ${n}`;
    await post(server, "/api/personas", persona(name, `${LONG_NAME}. `.repeat((n % 5) + 1)));
  }
  for (let n = 0; n < 25; n++) {
    await post(server, "/api/ai/chat", ask(`Question ${n}: ${LONG_NAME}`, "quarterdeck-offline"));
    await post(server, "/api/members", {
      email: `person.${n}@a-rather-long-department.example.org`,
      role: "viewer",
    });
  }
  await addManyDocuments(server, LONG_NAME);
  await addManyWorkflows(server, LONG_NAME);
  for (let n = 0; n < 15; n++) {
    await compare(server, `Please greet ${n}: ${LONG_NAME}`, [AIMOCK_MODEL, "quarterdeck-offline"]);
  }
  const long = [1, 2].map((n) => `${AIMOCK_MODEL}-with-a-name-that-never-seems-to-end-${n}`);
  const models = [AIMOCK_MODEL, ...long, "quarterdeck-offline"];
  await compare(server, `Please make it long. ${`${LONG_NAME}. `.repeat(40)}`, models);
  await addOddNames(server);
  // Last: the pictures show the newest conversation.
  await addRichConversation(server, AIMOCK_MODEL);
  await setOwnBudget(server, NEARLY_USED);
}
