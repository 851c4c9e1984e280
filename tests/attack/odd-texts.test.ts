import { isUtf8 } from "node:buffer";
import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import Database from "better-sqlite3";
import { load as loadVectors } from "sqlite-vec";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { targetsOf } from "../support/attack";
import { type MockServer, startMockServer } from "../support/mock-server";
import { oddTexts } from "../support/odd-texts";
import { startServer, type TestServer } from "../support/server";

interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  minimum?: number;
}
interface Operation {
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

/** The first ones are the well-known odd ones. */
const TEXTS = oddTexts(32);
/** Calls that end the session, never end, or restart the console and so answer 503 for a while. */
const LEFT_OUT = new Set([
  "post /api/logout",
  "delete /api/auth/sessions",
  "get /api/events",
  "post /api/system/compact",
]);

/** A body as the schema wants it, with the odd text wherever it may be any text. */
function bodyFor(schema: Schema, text: string): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const [variant] = [schema.anyOf, schema.oneOf, schema.allOf].flatMap((list) => list ?? []);
  if (variant) return bodyFor(variant, text);
  if (schema.properties)
    return Object.fromEntries(
      Object.entries(schema.properties).map(([name, one]) => [name, bodyFor(one, text)]),
    );
  if (schema.items) return [bodyFor(schema.items, text)];
  if (schema.type === "integer" || schema.type === "number") return Math.max(1, schema.minimum ?? 1);
  if (schema.type === "boolean") return true;
  return schema.type === "object" ? { [text]: text } : text;
}

/** Calls as they succeed, with the odd text in one place each. */
const VALID: [call: string, body: (text: string) => object][] = [
  [
    "POST /api/personas",
    (text) => ({ name: text, systemPrompt: text, defaultModel: text, mode: "default", tools: [] }),
  ],
  ["POST /api/models", (text) => ({ id: text, provider: "custom" })],
  ["POST /api/models", (text) => ({ id: `x${text}y`, name: text, description: text, provider: "custom" })],
  [
    "POST /api/providers",
    (text) => ({
      provider: "custom",
      displayName: text,
      // An enabled one would be asked for its models.
      enabled: false,
      config: { baseUrl: "http://127.0.0.1:9", models: [text] },
    }),
  ],
  ["POST /api/keys", (text) => ({ provider: "custom", alias: text, origin: "https://example.com" })],
  ["POST /api/tokens", (text) => ({ name: text })],
  ["POST /api/rag/categories", (text) => ({ name: text })],
  ["POST /api/rag/ingest", (text) => ({ text: `About ${text}`, title: text })],
  ["POST /api/rag/check/questions", (text) => ({ question: text, expected: [text] })],
  ["POST /api/rag/search", (text) => ({ query: text })],
  [
    "POST /api/members",
    (text) => ({ email: "new@example.org", firstName: text, lastName: text, role: "viewer" }),
  ],
  ["PATCH /api/auth/user", (text) => ({ firstName: text, lastName: text })],
  ["PUT /api/user/settings", (text) => ({ preferredModel: text })],
];

let server: TestServer;
let provider: MockServer;
let said = "";
let calls: { method: string; path: string; operation: Operation }[];

/** A model that asks for kv.set and lists itself, both with the text in it, escaped as JSON has it. */
async function openOddProvider(): Promise<MockServer> {
  return startMockServer((request, response) => {
    if (request.method === "GET") {
      response.setHeader("content-type", "application/json");
      return void response.end(JSON.stringify({ data: [{ id: "odd-model" }, { id: `odd${said}` }] }));
    }
    const input = JSON.stringify({ key: said || "k", value: said });
    const frame = (delta: object, finish: string | null = null) =>
      `data: ${JSON.stringify({ id: said, object: "chat.completion.chunk", created: 1, model: said, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
    const isSecond = request.text.includes('"role":"tool"');
    response.setHeader("content-type", "text/event-stream");
    if (!isSecond) {
      response.write(
        frame({
          role: "assistant",
          tool_calls: [
            { index: 0, id: `call${said}`, type: "function", function: { name: "kv__set", arguments: "" } },
          ],
        }),
      );
      for (const unit of input.split(""))
        response.write(frame({ tool_calls: [{ index: 0, function: { arguments: unit } }] }));
      response.write(frame({}, "tool_calls"));
    } else {
      for (const unit of `said:${said}\u{1f600}`.split("")) response.write(frame({ content: unit }));
      response.write(frame({}, "stop"));
    }
    response.end("data: [DONE]\n\n");
  });
}

beforeAll(async () => {
  provider = await openOddProvider();
  server = await startServer();
  const { paths } = (await (await server.ask("/api/openapi.json")).json()) as {
    paths: Record<string, Record<string, Operation>>;
  };
  calls = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([method]) => method !== "parameters" && !LEFT_OUT.has(`${method} ${path}`))
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
});
afterAll(async () => {
  await server.close();
  await provider.close();
});

/** @throws Error for an internal error */
async function ask(path: string, options: Parameters<TestServer["ask"]>[1]): Promise<number> {
  const response = await server.ask(path, options);
  const text = await response.text();
  if (response.status === 500) throw new Error(`${options?.method} ${path}: ${text}`);
  return response.status;
}

/** How a text is put into an address: as UTF-8 has it, and as bytes that no text has. */
const inAddress = (text: string) => encodeURIComponent(text.toWellFormed()) || "%00";

function expectIntact(): void {
  const { stdout, stderr } = spawnSync(process.execPath, [resolve("build/audit-verify.mjs")], {
    env: { PATH: process.env.PATH ?? "", NODE_ENV: "production", DATA_DIR: server.dataDir },
    encoding: "utf8",
  });
  expect(stdout + stderr).toMatch(/^OK: \d+ entr/);
}

/** Whether stored bytes are UTF-8 and, where they are JSON, hold no half of a character as an escape. */
function isWellFormed(bytes: Buffer): boolean {
  if (!isUtf8(bytes)) return false;
  try {
    // Of what is well formed, nothing is escaped that way; a backslash itself is written as two.
    return !/(?<!\\)(?:\\\\)*\\ud[89a-f]/.test(JSON.stringify(JSON.parse(bytes.toString("utf8"))));
  } catch {
    return true;
  }
}

describe("odd texts", () => {
  it("cause no internal error in any field of any call", async () => {
    const token = await server.createToken("owner");
    for (const [at, { method, path, operation }] of calls.entries()) {
      const schema = operation.requestBody?.content["application/json"]?.schema;
      for (const text of targetsOf(TEXTS.slice(0, schema ? 10 : 4), at)) {
        const query = (operation.parameters ?? [])
          .filter((parameter) => parameter.in === "query")
          .map(({ name }) => `${name}=${inAddress(text)}`);
        const address = `${path.replaceAll(/\{\w+\}/g, inAddress(text))}${query.length > 0 ? `?${query.join("&")}` : ""}`;
        const programs = path.startsWith("/v1");
        await ask(address, {
          method,
          ...(programs ? { token } : { as: "owner" }),
          ...(schema ? { json: bodyFor(schema, text) } : {}),
        });
      }
    }
  });

  it.each(VALID.map((row, at) => [...row, at] as const))(
    "are stored or refused by %s",
    async (call, body, at) => {
      const [method = "", path = ""] = call.split(" ");
      const statuses = new Set<number>();
      for (const text of targetsOf(TEXTS, at))
        statuses.add(await ask(path, { method, as: "owner", json: body(text) }));
      for (const text of TEXTS.slice(0, 6))
        await ask(path, { method, as: "owner", json: body(`Odd ${text} text`) });
      expect([...statuses].filter((status) => status >= 500)).toEqual([]);
    },
  );

  it("cause no internal error as malformed addresses", async () => {
    for (const odd of ["%ED%A0%80", "%00", "%ff", "%u0000", "%"]) {
      for (const path of [
        "/rag/",
        "/chat/",
        "/api/personas/",
        "/api/models?id=",
        "/rag?q=",
        "/audit?cursor=",
        "/invite/",
      ])
        await ask(path + odd, { as: "owner" });
    }
  });

  it("reach the database from a model's list, answer and tool call", async () => {
    const made = await server.ask("/api/providers", {
      as: "owner",
      json: {
        provider: "custom",
        displayName: "Odd",
        enabled: true,
        config: { baseUrl: provider.origin, models: ["odd-model"] },
      },
    });
    expect(made.status, await made.clone().text()).toBe(201);
    const { id } = (await made.json()) as { id: string };
    for (const text of targetsOf(TEXTS.slice(0, 20), 0)) {
      said = text;
      expect(await ask(`/api/providers/${id}/refresh`, { method: "POST", as: "owner" })).toBeLessThan(300);
      const response = await server.ask("/api/ai/chat", {
        as: "member",
        json: { messages: [{ role: "user", content: `say ${text}` }], model: "odd-model", tools: ["kv.set"] },
      });
      await response.text();
      const conversation = response.headers.get("x-conversation-id");
      const stored = await (
        await server.ask(`/api/ai/conversations/${conversation}`, { as: "member" })
      ).text();
      const heard = (
        JSON.parse(stored) as { messages: { role: string; parts: { type: string; text?: string }[] }[] }
      ).messages
        .flatMap(({ role, parts }) => (role === "assistant" ? parts : []))
        .flatMap((part) => part.text ?? [])
        .join("");
      expect(heard).toBe(`said:${text}\u{1f600}`.toWellFormed());
    }
  });

  it("leave the audit trail intact, and stay well formed in every column of the database", () => {
    expectIntact();
    const database = new Database(join(server.dataDir, "quarterdeck.sqlite"), { readonly: true });
    loadVectors(database);
    const list = (sql: string, ...given: string[]) =>
      database
        .prepare(sql)
        .pluck()
        .all(...given);
    const texts = (table: unknown, column: unknown) =>
      list(`SELECT cast("${column}" as blob) FROM "${table}" WHERE typeof("${column}") = 'text'`) as Buffer[];
    const columns = list("SELECT name FROM sqlite_schema WHERE type = 'table'").flatMap((table) =>
      list("SELECT name FROM pragma_table_info(?) WHERE lower(type) = 'text'", String(table)).map(
        (column) => [table, column] as const,
      ),
    );
    const bad = columns.filter(([table, column]) => !texts(table, column).every(isWellFormed));
    database.close();
    expect(columns.length).toBeGreaterThan(50);
    expect(bad).toEqual([]);
  });
});
