import { Ajv2020 } from "ajv/dist/2020.js";
import fc, { type Arbitrary } from "fast-check";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { isWholeMatrix } from "../support/attack";
import { type Hubs, startHubs } from "../support/hubs";
import {
  type Hints,
  type Schema,
  spoiled,
  spoiledBody,
  spoiledText,
  validValue,
} from "../support/openapi-values";
import { type Ask, startServer, type TestServer } from "../support/server";
import { WHO_MAY } from "./who-may";

interface Parameter {
  name: string;
  in: "path" | "query";
  required: boolean;
  schema: Schema;
}

type Content = Record<string, { schema: Schema }>;

interface Operation {
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { $ref?: string; content?: Content }>;
}

interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
  components: { responses: Record<string, { content: Content }> };
}

/** Valid calls of each operation, and as many spoiled ones; `npm run test:attack` has the long form. */
const SHORT = 2;
const RUNS = Number(process.env.FUZZ_RUNS ?? (isWholeMatrix ? 100 : SHORT));
// Some calls take seconds on a busy machine; the start waits for one as well.
if (RUNS > SHORT) vi.setConfig({ testTimeout: 180_000 + RUNS * 20_000, hookTimeout: 600_000 });
/** Printed with a failure. */
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_129);

const OFFLINE = "quarterdeck-offline";

/** They would end the process, the session of the calls that follow, or whoever asks. */
const ENDING = [
  "POST /api/logout",
  "DELETE /api/auth/user",
  "POST /api/system/compact",
  "POST /api/system/backups/{id}/restore",
];
/** They change what the calls that follow depend on: addresses, limits, the way of signing in. */
const LATE = [
  "DELETE /api/system/errors",
  "PUT /api/audit/stream",
  "PUT /api/settings/advanced",
  "DELETE /api/auth/sessions/{id}",
  "DELETE /api/auth/sessions",
];

const ORDER = ["POST", "GET", "PUT", "PATCH", "DELETE"];
const CALLS = Object.keys(WHO_MAY)
  .filter((call) => /^\w+ \/(?:api|v1|mcp|metrics|healthz|readyz)(?:\/|$)/.test(call) && !call.endsWith("/*"))
  .filter((call) => !ENDING.includes(call))
  .map((call) => ({ call, method: call.split(" ")[0] ?? "", path: call.split(" ")[1] ?? "" }))
  .sort((a, b) => rank(a) - rank(b));

function rank({ call, method }: { call: string; method: string }): number {
  return LATE.includes(call) ? ORDER.length + LATE.indexOf(call) : ORDER.indexOf(method);
}

const TOKENS_ONLY = /^\/(?:v1|mcp|metrics)(?:\/|$)/;

let server: TestServer;
let hubs: Hubs;
let token: string;
let document: OpenApi;
const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false, allErrors: false });

/** Ids by the path of their list, such as `/api/personas`. */
const ids = new Map<string, Set<string>>();

function keepIds(path: string, value: unknown): void {
  const rows = Array.isArray(value) ? value : [value];
  for (const row of rows) {
    const { id } = (row ?? {}) as { id?: unknown };
    if (typeof id !== "string" && typeof id !== "number") continue;
    const kept = ids.get(path) ?? new Set();
    if (kept.size < 20) ids.set(path, kept.add(String(id)));
  }
}

const LISTS: Record<string, string> = {
  conversation: "/api/ai/conversations",
  conversationId: "/api/ai/conversations",
  comparison: "/api/ai/comparisons",
  documentId: "/api/rag/documents",
  documentIds: "/api/rag/documents",
  ids: "/api/rag/documents",
  folder: "/api/ai/folders",
  folderId: "/api/ai/folders",
  personaId: "/api/personas",
  persona: "/api/personas",
  workflow: "/api/workflows",
  userId: "/api/members",
  groups: "/api/groups",
  attachments: "/api/attachments",
  categoryId: "/api/rag/categories",
  category: "/api/rag/categories",
};

const idsOf = (path: string) => [...(ids.get(path) ?? [])];

const hints: Hints = (name) => {
  if (name === "model" || name === "models" || name === "defaultModel") return [OFFLINE];
  const list = LISTS[name];
  return list ? idsOf(list) : [];
};

/** Those of the list that stands before the parameter, else those that its name says. */
function pathHints(path: string, name: string): Hints {
  const before = path.slice(0, path.indexOf(`/{${name}}`));
  return () => {
    const own = idsOf(before.replace("/workflows/run", "/workflows"));
    return own.length > 0 ? own : hints(name);
  };
}

interface Input {
  params: Record<string, unknown>;
  query: Record<string, unknown>;
  /** JSON, the fields of a form, or bytes as they are. */
  body?: { json: unknown } | { text: string } | { form: unknown };
}

function inputOf(
  path: string,
  { parameters = [], requestBody }: Operation,
  isSpoiled: boolean,
): Arbitrary<Input> {
  const recordOf = (location: string) =>
    fc.record(
      Object.fromEntries(
        parameters
          .filter((parameter) => parameter.in === location)
          .map(({ name, schema }) => {
            const likely = location === "path" ? pathHints(path, name) : hints;
            const valid = validValue(schema, likely, name);
            return [name, isSpoiled ? fc.oneof({ weight: 2, arbitrary: valid }, spoiledText) : valid];
          }),
      ),
      {
        requiredKeys: parameters
          .filter((parameter) => parameter.in === location && (parameter.required || location === "path"))
          .map(({ name }) => name),
      },
    );
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const valid = content ? validValue(content.schema, hints) : fc.constant(undefined);
  const value = isSpoiled && content ? spoiled(valid) : valid;
  const body: Arbitrary<Input["body"]> = !content
    ? fc.constant(undefined)
    : type === "multipart/form-data"
      ? value.map((form) => ({ form }))
      : isSpoiled
        ? fc.oneof(
            { weight: 4, arbitrary: value.map((json) => ({ json })) },
            spoiledBody.map((text) => ({ text })),
          )
        : value.map((json) => ({ json }));
  return fc
    .tuple(recordOf("path"), recordOf("query"), body)
    .map(([params, query, body]) => ({ params, query, ...(body ? { body } : {}) }));
}

const inAddress = (value: unknown) => encodeURIComponent(String(value).toWellFormed());

function addressOf(path: string, { params, query }: Input): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const segment = inAddress(params[name]);
    // Clients resolve a segment of dots, so that another address is called.
    return /^\.{0,2}$/.test(segment) ? "%20" : segment;
  });
  const search = Object.entries(query).map(([name, value]) => `${inAddress(name)}=${inAddress(value)}`);
  return search.length > 0 ? `${filled}?${search.join("&")}` : filled;
}

function bodyOf({ body }: Input): Ask {
  if (!body) return {};
  if ("json" in body) return body.json === undefined ? {} : { json: body.json };
  if ("text" in body) return { body: body.text, headers: { "content-type": "application/json" } };
  const form = new FormData();
  for (const [name, value] of Object.entries((body.form ?? {}) as Record<string, unknown>)) {
    const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
    if (/file/i.test(name)) form.append(name, new Blob([text]), `${name}.txt`);
    else form.append(name, text.toWellFormed());
  }
  return { body: form };
}

const pointer = (...parts: string[]) =>
  parts.map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/");

/** What is wrong with an answer, by the document. */
async function faultsOf(
  { method, path }: { method: string; path: string },
  operation: Operation,
  response: Response,
): Promise<string[]> {
  const { status } = response;
  const type = response.headers.get("content-type")?.split(";")[0] ?? "";
  if (type === "text/event-stream" && status < 300) {
    await response.body?.cancel();
    const declared = operation.responses[status]?.content;
    return declared && !(type in declared) ? [`${status} has the undocumented type ${type}`] : [];
  }
  const text = await response.text();
  const described = operation.responses[status];
  if (!described) return [`${status} isn't documented: ${text.slice(0, 300)}`];
  const faults: string[] = [];
  // Services elsewhere aren't there.
  const isElsewhere = /"code":"(?:provider_\w+|egress_refused)"/.test(text);
  if (status >= 500 && !isElsewhere) faults.push(`${status}: ${text.slice(0, 300)}`);
  const name = /^#\/components\/responses\/(.+)$/.exec(described.$ref ?? "")?.[1];
  const content = name ? document.components.responses[name]?.content : described.content;
  if (!content && (text === "" || status === 302 || status === 303)) return faults;
  if (!content) return [...faults, `${status} has an undocumented body: ${type} ${text.slice(0, 200)}`];
  if (!(type in content))
    return [...faults, `${status} has the undocumented type ${type}: ${text.slice(0, 200)}`];
  if (!/^application\/(?:problem\+)?json$/.test(type)) return faults;
  const at = name
    ? `components/responses/${pointer(name)}`
    : pointer("paths", path, method.toLowerCase(), "responses", String(status));
  const $ref = `api#/${at}/content/${pointer(type)}/schema`;
  const validate = ajv.getSchema($ref) ?? ajv.compile({ $ref });
  const value = JSON.parse(text) as unknown;
  if (!validate(value))
    faults.push(
      `${status} is off its schema: ${JSON.stringify(validate.errors?.[0])}: ${text.slice(0, 300)}`,
    );
  if (status < 300) keepIds(path, value);
  return faults;
}

async function call(
  which: { method: string; path: string },
  operation: Operation,
  input: Input,
): Promise<void> {
  const { method, path } = which;
  const caller: Ask = TOKENS_ONLY.test(path) ? { token } : { as: "owner" };
  const response = await server.ask(addressOf(path, input), { method, ...caller, ...bodyOf(input) });
  expect(await faultsOf(which, operation, response)).toEqual([]);
}

const part = (id: string, type: string, config: object) => ({ id, type, config });

/** Something of each kind, for calls that name it. */
const WORLD: readonly (readonly [path: string, body: object])[] = [
  ["/api/rag/categories", { name: "Spare parts" }],
  ["/api/rag/ingest", { title: "Warranty", text: "It lasts two years and begins with the delivery." }],
  ["/api/personas", { name: "Reviewer", systemPrompt: "Be brief.", defaultModel: OFFLINE }],
  ["/api/prompts", { name: "Greeting", text: "Greet {{name}}." }],
  ["/api/groups", { name: "Support" }],
  ["/api/members", { email: "colleague@example.org", role: "member" }],
  ["/api/keys", { provider: "openai", alias: "OPENAI_API_KEY" }],
  ["/api/budgets", { target: "person:usr_viewer", unit: "tokens", limit: 1_000_000, period: "month" }],
  [
    "/api/providers",
    { provider: "custom", displayName: "Away", config: { baseUrl: "http://127.0.0.1:9/v1", models: ["a"] } },
  ],
  ["/api/models", { id: "team/best", name: "Team best" }],
  ["/api/ai/folders", { name: "Work" }],
  ["/api/ai/chat", { model: OFFLINE, messages: [{ role: "user", content: "Hello" }] }],
  ["/api/ai/chat", { model: OFFLINE, messages: [{ role: "user", content: "kv.set greeting hello" }] }],
  ["/api/ai/comparisons", { prompt: "Hello", models: [OFFLINE, "team/best"] }],
  [
    "/api/workflows",
    {
      name: "Orders",
      triggers: [part("by_hand", "manual", {}), part("hook", "webhook", {})],
      steps: [part("note", "log", { message: "Hello" })],
    },
  ],
];

/** Keeps the ids of all lists. */
async function findIds(): Promise<void> {
  for (const { method, path } of CALLS) {
    if (method !== "GET" || path.includes("{") || path === "/api/events") continue;
    const response = await server.ask(path, TOKENS_ONLY.test(path) ? { token } : { as: "owner" });
    const type = response.headers.get("content-type") ?? "";
    if (response.ok && type.includes("json")) keepIds(path, await response.json());
    else await response.body?.cancel();
  }
}

beforeAll(async () => {
  hubs = await startHubs();
  server = await startServer({ env: hubs.env });
  token = await server.createToken("owner");
  document = (await (await server.ask("/api/openapi.json")).json()) as OpenApi;
  ajv.addSchema(document, "api");
  const refused: string[] = [];
  for (const [path, json] of WORLD) {
    const response = await server.ask(path, { as: "owner", json });
    const text = await response.text();
    if (!response.ok) refused.push(`${path}: ${response.status} ${text}`);
  }
  expect(refused).toEqual([]);
  await findIds();
  for (const id of idsOf("/api/workflows"))
    await server.ask(`/api/workflows/run/${id}`, { as: "owner", method: "POST" });
  await findIds();
});
afterAll(async () => {
  await server.close();
  await hubs.close();
});

async function fuzz({ method, path }: { method: string; path: string }): Promise<void> {
  const operation = document.paths[path]?.[method.toLowerCase()];
  if (!operation) throw new Error("The document doesn't have it.");
  for (const isSpoiled of [false, true])
    await fc.assert(
      fc.asyncProperty(inputOf(path, operation, isSpoiled), (input) =>
        call({ method, path }, operation, input),
      ),
      { seed: SEED, numRuns: RUNS },
    );
}

it.for(CALLS.filter(({ call }) => !LATE.includes(call)))("$method $path", fuzz);

it("leaves a session, and no unexpected error", async () => {
  expect((await server.ask("/api/auth/user", { as: "owner" })).status).toBe(200);
  expect(await (await server.ask("/api/system/errors", { as: "owner" })).json()).toMatchObject([]);
});

it.for(CALLS.filter(({ call }) => LATE.includes(call)))("$method $path", fuzz);
