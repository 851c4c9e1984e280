import { existsSync, readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type MockServer, startMockServer } from "../support/mock-server";
import { startServer, type TestServer } from "../support/server";
import { type Address, readSitemap } from "../support/sitemap";
import { CHANGES, send, type Things } from "./audited-calls";
import { ELSEWHERE, FORMS, UNAUDITED, WITHOUT_FORMS } from "./audited-exceptions";

interface OpenApi {
  paths: Record<string, Record<string, unknown>>;
}

const UPSTREAM: Record<string, string> = {
  "/api/version": JSON.stringify({ version: "0.12.6" }),
  "/api/tags": JSON.stringify({ models: [{ name: "llama3.2:3b" }] }),
  "/api/v1/models": JSON.stringify({
    data: [{ id: "maker/open-one", name: "Open one", context_length: 32_000 }],
  }),
};

let upstream: MockServer;
let server: TestServer;
let addresses: Address[];
const things: Things = {};
beforeAll(async () => {
  upstream = await startMockServer((request, response) => {
    const answer = UPSTREAM[request.url ?? ""];
    response.writeHead(answer ? 200 : 404, { "content-type": "application/json" }).end(answer ?? "{}");
  });
  server = await startServer({
    env: {
      OLLAMA_URL: upstream.origin,
      HUGGINGFACE_HUB_URL: upstream.origin,
      OPENROUTER_HUB_URL: upstream.origin,
    },
  });
  things.upstream = upstream.origin;
  addresses = await readSitemap();
  const config = { baseUrl: upstream.origin };
  await send(server, "/api/providers", { json: { provider: "local-ollama", displayName: "First", config } });
});
afterAll(async () => {
  await server.close();
  await upstream.close();
});

interface Entry {
  id: string;
  action: string;
  actorKind: string;
  address: string | null;
}

/** The newest entries, from the file: who asks may have just signed out. */
async function entries(): Promise<Entry[]> {
  const { default: Database } = await import("better-sqlite3");
  const file = new Database(`${server.dataDir}/quarterdeck.sqlite`, { readonly: true });
  try {
    return file
      .prepare<[], Entry>(
        "SELECT id, action, actor_kind AS actorKind, address FROM audit_entries ORDER BY seq",
      )
      .all();
  } finally {
    file.close();
  }
}

describe("every unsafe call of the API", () => {
  it("is held to its audit entry, or is named with the reason why it has none", async () => {
    const { paths } = (await (await server.ask("/api/openapi.json")).json()) as OpenApi;
    const unsafe = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations).flatMap((method) =>
        /^(post|put|patch|delete)$/.test(method) ? [`${method.toUpperCase()} ${path}`] : [],
      ),
    );
    const named = [...Object.keys(CHANGES), ...Object.keys(ELSEWHERE), ...Object.keys(UNAUDITED)];
    expect(
      named.sort(),
      "In audited-calls.ts or audited-exceptions.ts add the calls marked - and remove those marked +",
    ).toEqual(unsafe.sort());
  });

  it.each(Object.entries(CHANGES))("%s writes its entry", async (call, row) => {
    await row.before?.(things, server);
    const before = new Set((await entries()).map(({ id }) => id));
    const { path, query, ...ask } = row.ask?.(things) ?? {};
    const bare = (call.split(" ")[1] ?? "").replace(/\{(\w+)\}/g, (_, name: string) => path?.[name] ?? "");
    const answer = await send(server, query ? `${bare}?${query}` : bare, ask);
    row.after?.(answer, things);
    const written = (await entries()).filter(({ id, action }) => !before.has(id) && action === row.action);
    expect(written).toEqual([
      { id: expect.any(String), action: row.action, actorKind: "user", address: expect.any(String) },
    ]);
  });

  it.each(Object.entries(ELSEWHERE))("%s is held to its entry elsewhere", (_, { file, action }) => {
    expect(existsSync(file)).toBe(true);
    expect(readFileSync(file, "utf8")).toContain(action);
  });
});

/** The file that declares a call of the API, such as `PATCH /api/members/{id}`. */
function declarationOf(call: string | undefined): string {
  const [method, path] = call?.split(" ") ?? [];
  const files = readdirSync("app", { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".api.ts"),
  );
  for (const file of files) {
    const text = readFileSync(`app/${file}`, "utf8");
    if (text.replace(/\s+/g, " ").includes(`method: "${method}", path: "${path}",`)) return text;
  }
  return "";
}

it("nothing else takes a form", async () => {
  const { paths } = (await (await server.ask("/api/openapi.json")).json()) as OpenApi;
  const others = addresses.filter(
    ({ path, methods, intents }) => methods.includes("POST") && intents.length === 0 && !(path in paths),
  );
  // Pages that aren't there, and screens without forms.
  expect(others.map(({ path }) => path).sort()).toEqual(WITHOUT_FORMS);
});

describe("every form of every screen", () => {
  const intents = () =>
    addresses.flatMap(({ path, file, intents }) =>
      intents.map((name) => ({ form: `${path} ${name}`, file })),
    );

  it("is named with the call of the API that it shares its service with, or with its reason", () => {
    expect(
      Object.keys(FORMS).sort(),
      "In FORMS of audited-exceptions.ts add the forms marked - and remove those marked +",
    ).toEqual(
      intents()
        .map(({ form }) => form)
        .sort(),
    );
  });

  it.each(Object.entries(FORMS))("%s changes by a function that is held to its entry", (form, row) => {
    if ("reason" in row) return expect(row.reason).not.toBe("");
    const { calls, like, test } = row;
    const source = (file: string | undefined) => readFileSync(`app/${file}`, "utf8");
    const screen = intents().find((one) => one.form === form);
    expect(source(screen?.file)).toMatch(new RegExp(`\\b${calls}\\(`));
    if (test) return expect(readFileSync(test.file, "utf8")).toContain(test.action);
    expect({ ...CHANGES, ...ELSEWHERE }).toHaveProperty([like ?? ""]);
    expect(declarationOf(like)).toMatch(new RegExp(`\\b${row.apiCalls ?? calls}\\(`));
  });
});
