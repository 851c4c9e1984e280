import { createHash } from "node:crypto";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { parseHTML } from "linkedom";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { send } from "../support/send";
import { startServer, type TestServer } from "../support/server";
import { API_HASH } from "./who-may";

interface Schema {
  $ref?: string;
  additionalProperties?: unknown;
}

interface OpenApi {
  openapi: string;
  components: { schemas: Record<string, Schema> };
  paths: Record<
    string,
    Record<
      string,
      {
        summary?: string;
        tags?: string[];
        responses?: Record<string, unknown>;
        requestBody?: { required: boolean; content?: Record<string, { schema: Schema }> };
        security?: unknown[];
      }
    >
  >;
}

const HOST = "console.example";

let server: TestServer;
let source: string;
let document: OpenApi;
beforeAll(async () => {
  server = await startServer();
  source = (await send(server, "GET", "/api/openapi.json", { headers: { host: HOST } })).text;
  document = JSON.parse(source) as OpenApi;
});
afterAll(() => server.close());

describe("the OpenAPI document", () => {
  it("changes only with the API", () => {
    expect(document).toMatchObject({
      info: { title: "Quarterdeck API" },
      servers: [{ url: `http://${HOST}` }],
    });
    expect(
      createHash("sha256").update(source).digest("hex"),
      "The description of the API has changed. If the API was meant to change, put the new hash into API_HASH of tests/integration/who-may.ts, and say in the commit what changed.",
    ).toBe(API_HASH);
  });

  it("has nothing that a linter objects to", async () => {
    const config = await createConfig({
      extends: ["recommended-strict"],
      rules: {
        // The console's own terms of use are the operator's business.
        "info-license": "off",
        // Every installation has an address of its own, also a local one.
        "no-server-example.com": "off",
        // Signing in answers with redirects alone; the test below asks for a success of either kind.
        "operation-2xx-response": "off",
      },
    });
    const found = await lintFromString({ source, absoluteRef: "/api/openapi.json", config });
    // The contract's own path, beside `/api/workflows/{id}/…`; no workflow has the id `run`.
    const isKnown = (message: string) => message.includes("`/api/workflows/run/{id}`");
    const lines = found
      .filter(({ message }) => !isKnown(message))
      .map(({ ruleId, message, location }) => `${ruleId}: ${message} at ${location[0]?.pointer}`);
    expect(lines).toEqual([]);
  });

  it("is of version 3.1 and names what each call is for", () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    for (const [path, operations] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(operations)) {
        if (method === "parameters") continue;
        expect([path, method, operation.summary, operation.tags?.[0]]).toEqual([
          path,
          method,
          expect.stringMatching(/\S/),
          expect.stringMatching(/\S/),
        ]);
        const successes = Object.keys(operation.responses ?? {}).filter((status) => /^[23]/.test(status));
        expect([path, method, successes.length]).toEqual([
          path,
          method,
          expect.toSatisfy((n: number) => n > 0),
        ]);
      }
    }
  });
});

it("names 402 where a budget can refuse a call, and nowhere else", () => {
  const refused = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.values(operations).some(({ responses }) => responses?.["402"]) ? [path] : [],
  );
  const routed = [
    "audio/speech",
    "audio/transcriptions",
    "chat/completions",
    "embeddings",
    "images/edits",
    "images/generations",
    "messages",
  ];
  const voice = ["conversations/{conversation}/messages/{message}/speech", "transcriptions"];
  expect(refused.sort()).toEqual([
    ...voice.map((path) => `/api/ai/${path}`),
    ...[...routed, "rerank", "responses"].map((path) => `/v1/${path}`),
  ]);
});

/** They would end the session or the process of the calls that follow. */
const ENDING = [
  "POST /api/logout",
  "DELETE /api/auth/user",
  "DELETE /api/auth/sessions",
  "POST /api/system/compact",
];

describe("a call that needs no body", () => {
  const json = { "content-type": "application/json" };
  const BODIES: [string, { body?: string; headers?: Record<string, string> }][] = [
    ["an empty one", { body: "", headers: json }],
    ["null", { body: "null", headers: json }],
    ["{}", { body: "{}", headers: json }],
  ];

  it("takes none and, one after the other, an empty one, null and {}", async () => {
    const calls = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations)
        .filter(([method, { requestBody }]) => method !== "get" && requestBody?.required !== true)
        .map(([method]) => ({ path, method: method.toUpperCase() }))
        .filter((call) => !ENDING.includes(`${call.method} ${call.path}`)),
    );
    expect(calls.length).toBeGreaterThan(50);
    expect(calls).toContainEqual({ path: "/api/workflows/run/{id}", method: "POST" });
    const refused: unknown[] = [];
    // All are read in one place.
    for (const [at, { path, method }] of calls.entries())
      for (const [body, ask] of [["none", {}] as const, ...BODIES.slice(at % 3, (at % 3) + 1)]) {
        const address = path.replace(/\{\w+\}/g, "unknown");
        const response = await server.ask(address, { as: "owner", method, ...ask });
        const text = await response.text();
        const isPage = response.headers.get("content-type")?.startsWith("text/html") === true;
        if (response.status === 415 || (!isPage && /body|JSON/.test(text)))
          refused.push([method, path, body, text]);
      }
    expect(refused).toEqual([]);
  });
});

it("only settings refuse unknown keys of a body", () => {
  const isStrict = (schema: Schema | undefined): boolean => {
    const name = /^#\/components\/schemas\/(.+)$/.exec(schema?.$ref ?? "")?.[1];
    return name ? isStrict(document.components.schemas[name]) : schema?.additionalProperties === false;
  };
  const strict = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { requestBody }]) =>
      isStrict(requestBody?.content?.["application/json"]?.schema) ? [`${method} ${path}`] : [],
    ),
  );
  // There a misspelled key would be a silent loss.
  expect(strict).toEqual([
    "put /api/audit/stream",
    "put /api/branding",
    "put /api/guardrails",
    "post /api/keys",
    "patch /api/keys/{id}",
    "post /api/mcp-servers",
    "post /api/models",
    "patch /api/models",
    "put /api/notifications/preferences",
    "put /api/organisation",
    "patch /api/plugins/{pluginId}/config",
    "post /api/providers",
    "patch /api/providers/{id}",
    "post /api/providers/{id}/move",
    "put /api/rag/recognition",
    "put /api/settings/advanced",
    "put /api/settings/routing",
    "put /api/system/egress/allow",
    "put /api/tools/{name}/policy",
    "put /api/user/settings",
  ]);
});

describe("the readable page", () => {
  const search = async (words: string) => (await server.ask(`/docs/api?search=${words}`)).text();

  it("finds calls by words of their path and description", async () => {
    const found = await search("rag+REORDER");
    expect(found).toContain("/api/rag/reorder");
    expect(found).not.toContain("/api/personas");
    expect(await search("no-call-has-this")).toContain("No calls found");
  });

  it("lists all calls, each with its fields on the page of its topic", async () => {
    const read = async (address: string) =>
      parseHTML(await (await server.ask(address)).text()).document.querySelector("main");
    const all = await read("/docs/api");
    expect(all?.querySelectorAll("table")).toHaveLength(0);
    expect(all?.querySelectorAll("section li")).toHaveLength(
      Object.values(document.paths).flatMap((path) => Object.keys(path)).length,
    );
    const link = [...(all?.querySelectorAll("section a") ?? [])].find(({ textContent }) =>
      textContent?.includes("/api/rag/reorder"),
    );
    const href = link?.getAttribute("href") ?? "";
    const topic = await read(href.split("#", 1)[0] ?? "");
    const [opened, ...others] = topic?.querySelectorAll("details[open]") ?? [];
    expect([opened?.id, others]).toEqual([href.split("#").at(-1), []]);
    expect(opened?.querySelector("table")).not.toBeNull();
    expect(topic?.textContent).not.toContain("/api/personas");
  });
});
