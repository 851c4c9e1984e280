import { afterAll, beforeAll, expect, it } from "vitest";
import { startServer, type TestServer } from "../support/server";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const post = (path: string, json: object) => server.ask(path, { as: "member", json });

it("imports prompts of Open WebUI once", async () => {
  const file = [{ command: "/sum", title: "Sum up", content: "Sum up {{text | textarea}}." }];
  const first = await post("/api/prompts/import", file);
  expect(first.status).toBe(201);
  expect(await first.json()).toMatchObject({
    prompts: [{ name: "Sum up", text: "Sum up {{text}}.", shared: false }],
    present: 0,
  });
  expect(await (await post("/api/prompts/import", file)).json()).toEqual({ prompts: [], present: 1 });
});

it("imports a preset of LibreChat, and what it exports itself", async () => {
  const imported = await post("/api/personas/import", {
    title: "Editor",
    promptPrefix: "Be brief.",
    tools: ["x"],
  });
  expect(imported.status).toBe(201);
  const { personas, missingTools } = (await imported.json()) as {
    personas: { id: string }[];
    missingTools: string[];
  };
  expect(personas).toMatchObject([{ name: "Editor", systemPrompt: "Be brief." }]);
  expect(missingTools).toEqual(["x"]);
  const exported = await server.ask(`/api/personas/${personas[0]?.id}/export`, { as: "member" });
  const again = await post("/api/personas/import", (await exported.json()) as object);
  expect(await again.json()).toMatchObject({ personas: [{ name: "Editor (2)" }] });
});

it("imports a workflow of n8n as a disabled one, and what it exports itself", async () => {
  const node = (name: string, type: string, parameters: object) => ({
    name,
    type: `n8n-nodes-base.${type}`,
    typeVersion: 1,
    position: [0, 0],
    parameters,
  });
  const imported = await post("/api/workflows/import", {
    name: "Flow",
    nodes: [
      node("Start", "manualTrigger", {}),
      node("Get", "httpRequest", { url: "https://example.com" }),
      node("Code", "code", { jsCode: "return []" }),
    ],
    connections: {
      Start: { main: [[{ node: "Get", type: "main", index: 0 }]] },
      Get: { main: [[{ node: "Code", type: "main", index: 0 }]] },
    },
  });
  expect(imported.status).toBe(201);
  const workflow = (await imported.json()) as { id: string };
  expect(imported.headers.get("location")).toBe(`/api/workflows/${workflow.id}`);
  expect(workflow).toMatchObject({ name: "Flow", enabled: false, remarks: ["Code"] });
  const exported = await server.ask(`/api/workflows/${workflow.id}/export`, { as: "viewer" });
  const again = await post("/api/workflows/import", (await exported.json()) as object);
  expect(await again.json()).toMatchObject({ name: "Flow", enabled: false, remarks: [] });
});

it.each(["/api/prompts/import", "/api/personas/import", "/api/workflows/import"])(
  "%s refuses what is no export, and bytes that are no text",
  async (path) => {
    expect((await post(path, { a: 1 })).status).toBe(400);
    const headers = { "content-type": "application/json" };
    const response = await server.ask(path, {
      as: "member",
      method: "POST",
      headers,
      body: Buffer.from([0xff]),
    });
    expect(await response.json()).toMatchObject({ status: 400, detail: "The body is not valid UTF-8." });
  },
);

it("pins, lists and unpins the output of a step", async () => {
  const made = await post("/api/workflows", {
    name: "Sums",
    enabled: true,
    triggers: [{ id: "by_hand", type: "manual", config: {} }],
    steps: [{ id: "note", type: "log", config: { message: "Hello" } }],
  });
  const { id } = (await made.json()) as { id: string };
  const put = () => server.ask(`/api/workflows/${id}/pins/note`, { as: "member", method: "PUT", json: {} });
  expect((await put()).status).toBe(404);
  await server.ask(`/api/workflows/${id}`, { as: "member", method: "PATCH", json: { enabled: true } });
  const run = (await (await post(`/api/workflows/run/${id}`, {})).json()) as { id: string };
  await expect
    .poll(async () => (await (await server.ask(`/api/runs/${run.id}`, { as: "member" })).json()) as object)
    .toMatchObject({ state: "succeeded" });
  const pin = { stepId: "note", output: { message: "Hello" }, runId: run.id };
  expect(await (await put()).json()).toMatchObject(pin);
  const list = async () => (await server.ask(`/api/workflows/${id}/pins`, { as: "member" })).json();
  expect(await list()).toMatchObject([pin]);
  const gone = await server.ask(`/api/workflows/${id}/pins/note`, { as: "member", method: "DELETE" });
  expect(gone.status).toBe(204);
  expect(await list()).toEqual([]);
});
