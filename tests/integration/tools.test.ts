import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isWholeForm } from "../support/faults";
import { startServer, type TestServer } from "../support/server";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

interface Tool {
  name: string;
  effect: string;
  policy: string;
  inputSchema: { type: string; properties: Record<string, unknown> };
}
const listTools = async () => (await (await server.ask("/api/tools", { as: "viewer" })).json()) as Tool[];
const policyOf = async (name: string) => (await listTools()).find((tool) => tool.name === name)?.policy;
const setPolicy = (name: string, policy: string) =>
  server.ask(`/api/tools/${name}/policy`, { as: "admin", method: "PUT", json: { policy } });
const chat = (content: string, tools: string[]) =>
  server.ask("/api/ai/chat", {
    as: "member",
    json: { messages: [{ role: "user", content }], model: "quarterdeck-offline", tools },
  });

/** The server's stored rows, which no call returns. */
function query<T>(sql: string, write = false): T[] {
  const database = new Database(join(server.dataDir, "quarterdeck.sqlite"), { readonly: !write });
  try {
    if (!write) return database.prepare<[], T>(sql).all();
    database.exec(sql);
    return [];
  } finally {
    database.close();
  }
}

describe("the tools", () => {
  it("are listed with their policies and JSON Schemas", async () => {
    const tools = await listTools();
    expect(tools.map(({ name, effect, policy }) => `${name} ${effect} ${policy}`)).toEqual([
      "web.fetch outside ask",
      "qdrant.search reads always",
      "http.request outside ask",
      "kv.set writes ask",
      "kv.get reads always",
      "ingest.queue writes ask",
      "image.generate outside ask",
    ]);
    for (const { inputSchema } of tools) expect(inputSchema).toMatchObject({ type: "object" });
  });

  it("run in an answer whose call names them, with an entry in the trail", async () => {
    const response = await chat("kv.set greeting hello", ["kv.set"]);
    const conversation = response.headers.get("x-conversation-id");
    expect(await response.text()).toContain('"tool-output-available"');
    const trail = (await (await server.ask("/api/audit?limit=5", { as: "admin" })).json()) as {
      action: string;
      resource: string;
      details: Record<string, unknown>;
    }[];
    expect(trail.find(({ action }) => action === "tool.called")).toMatchObject({
      resource: "tool:kv.set",
      details: { source: "chat", conversationId: conversation },
    });
  });

  it("that an admin switched off are refused, and offered by no screen", async () => {
    expect((await setPolicy("kv.set", "never")).status).toBe(200);
    expect(await policyOf("kv.set")).toBe("never");
    const refused = await chat("kv.set greeting hello", ["kv.set"]);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      errors: { tools: [expect.stringContaining("turned off")] },
    });
    const screen = await (await server.ask("/chat", { as: "member" })).text();
    expect([screen.includes('value="kv.get"'), screen.includes('value="kv.set"')]).toEqual([true, false]);
  });

  it("are decided about on the settings' screen without JavaScript", async () => {
    const send = (...tools: Record<"name" | "shown" | "policy", string>[]) =>
      server.ask("/settings/advanced", {
        as: "admin",
        form: {
          intent: "set-tool-policies",
          ...Object.fromEntries(
            tools.flatMap((tool, at) =>
              Object.entries(tool).map(([name, value]) => [`tools[${at}].${name}`, value]),
            ),
          ),
        },
      });
    await setPolicy("kv.get", "always");
    // Another admin has changed kv.get since the form was drawn, and this one hasn't touched it.
    const untouched = { name: "kv.get", shown: "never", policy: "never" };
    expect((await send(untouched, { name: "kv.set", shown: "never", policy: "ask" })).status).toBe(303);
    expect([await policyOf("kv.get"), await policyOf("kv.set")]).toEqual(["always", "ask"]);
    expect((await send({ name: "kv.set", shown: "ask", policy: "perhaps" })).status).toBe(303);
    const gone = { name: "gone.tool", shown: "ask", policy: "never" };
    expect((await send({ name: "kv.set", shown: "ask", policy: "never" }, gone)).status).toBe(303);
    expect(await policyOf("kv.set")).toBe("ask");
    await setPolicy("kv.get", "default");
    expect((await server.ask("/settings/advanced", { as: "admin" })).status).toBe(200);
  });
});

const KEYS = "org_id, day, source, model, provider_id, user_id, persona_id, workflow_id, token_id, tool";
const SUMS = `SELECT ${KEYS}, requests, errors, input_tokens, output_tokens, cost_micros, unpriced, first_token_ms,
  first_tokens FROM usage_days ORDER BY ${KEYS}`;
/** The server's time zone is UTC. */
const ROWS = `SELECT org_id, date(created_at / 1000, 'unixepoch') AS day, source, model,
  coalesce(provider_id, '') AS provider_id, user_id, coalesce(persona_id, '') AS persona_id,
  coalesce(workflow_id, '') AS workflow_id, coalesce(token_id, '') AS token_id, coalesce(tool, '') AS tool,
  count(*) AS requests, sum(outcome = 'error') AS errors, coalesce(sum(input_tokens), 0) AS input_tokens,
  coalesce(sum(output_tokens), 0) AS output_tokens, coalesce(sum(cost_micros), 0) AS cost_micros,
  sum(cost_micros IS NULL) AS unpriced, coalesce(sum(first_token_ms), 0) AS first_token_ms,
  count(first_token_ms) AS first_tokens FROM usage_records GROUP BY ${KEYS} ORDER BY ${KEYS}`;

describe("the daily sums of usage", () => {
  it("equal the rows when the server is killed again and again under load", async () => {
    for (let kill = 0; kill < (isWholeForm ? 3 : 1); kill++) {
      const recorded = () => query<{ n: number }>("SELECT count(*) AS n FROM usage_records")[0]?.n ?? 0;
      const before = recorded();
      const load = Promise.allSettled(
        Array.from({ length: 12 }, async (_, n) => {
          for (let turn = 0; turn < 20; turn++) {
            const answer = await chat(n % 2 ? `kv.set k${n} ${turn}` : "kv.get none", ["kv.set", "kv.get"]);
            await answer.text();
          }
        }),
      );
      await expect.poll(recorded, { interval: 5, timeout: 60_000 }).toBeGreaterThan(before + 20);
      await server.kill();
      await load;
      expect(query(SUMS)).toEqual(query(ROWS));
      await server.start();
    }
    expect(query(SUMS).length).toBeGreaterThan(2);
  });

  it("take in what an older version recorded", async () => {
    await server.stop();
    query("UPDATE usage_records SET day = NULL; DELETE FROM usage_days", true);
    await server.start();
    await expect.poll(() => query("SELECT id FROM usage_records WHERE day IS NULL")).toEqual([]);
    expect(query(SUMS)).toEqual(query(ROWS));
  });
});
