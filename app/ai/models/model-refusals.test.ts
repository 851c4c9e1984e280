import { afterEach, beforeEach, expect, it } from "vitest";
import { setClock } from "~/core/clock.server";
import { transaction } from "~/core/db.server";
import { DAY } from "~/core/durations";
import { openTestDatabase } from "../../../tests/support/database";
import { type MockServer, startMockServer } from "../../../tests/support/mock-server";
import { listActiveModels } from "./catalogue.service.server";
import { ModelPatch } from "./model-settings.schema";
import { saveModel } from "./model-settings.service.server";
import { insertProviderRow } from "./models.repo.server";
import {
  KEEPS_SETTINGS,
  newRouteRecord,
  OWN_TOOLS,
  resolveModel,
  routeCall,
  takes,
  toolsOff,
} from "./models.service.server";
import { refreshModels } from "./providers.service.server";

let test: ReturnType<typeof openTestDatabase>;
let upstream: MockServer;
let refusal: string;
const bodies = () =>
  upstream.requests.filter(({ method }) => method === "POST").map(({ body }) => JSON.parse(body));

beforeEach(async () => {
  test = openTestDatabase();
  refusal = "m does not support tools";
  upstream = await startMockServer(({ method, text }, response) => {
    const { tools: asked, response_format, reasoning_effort } = JSON.parse(text || "{}");
    const refused = method === "POST" && (asked || response_format || reasoning_effort);
    response.writeHead(refused ? 400 : 200, { "content-type": "application/json" });
    if (method === "GET") response.end(JSON.stringify({ data: [{ id: "m" }] }));
    else if (refused) response.end(JSON.stringify({ error: { message: refusal } }));
    else
      response.end(
        JSON.stringify({ id: "c", choices: [{ message: { content: "Hi." }, finish_reason: "stop" }] }),
      );
  });
  const row = { id: "prv_1", orgId: test.actors.admin.orgId, type: "custom", displayName: "Lab" };
  const config = { baseUrl: upstream.origin };
  const at = { modelsAt: null, priority: 0, createdAt: 1, updatedAt: 1 };
  transaction((tx) => insertProviderRow(tx, { ...row, ...at, enabled: true, config, models: [{ id: "m" }] }));
});
afterEach(async () => {
  setClock();
  await upstream.close();
  test.close();
});

const tools = [{ type: "function" as const, name: "add", inputSchema: { type: "object" as const } }];
const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "Hi" }] }];

async function ask(call: object = { tools }): Promise<void> {
  const model = resolveModel(test.actors.owner, "m");
  const { stream } = await model.open({ prompt, ...call }, newRouteRecord());
  for (let part = await stream.read(); part; part = await stream.read())
    if (part.type === "error") throw part.error;
}

const { orgId } = { orgId: () => test.actors.owner.orgId };
const leftOut = () => listActiveModels(test.actors.admin).find(({ id }) => id === "m")?.leftOut;

it("remembers what a model refuses until its provider's list is read again", async () => {
  expect([takes(orgId(), "m", "tools"), leftOut()]).toEqual([true, []]);
  await ask();
  await ask();
  expect(bodies().map(({ tools: sent }) => sent !== undefined)).toEqual([true, false, false]);
  expect([takes(orgId(), "m", "tools"), leftOut()]).toEqual([false, ["tools"]]);
  await refreshModels(test.actors.admin, "prv_1");
  expect([takes(orgId(), "m", "tools"), leftOut()]).toEqual([true, []]);
});

it("asks again after a day, since not every provider has a list", async () => {
  await ask();
  expect(takes(orgId(), "m", "tools")).toBe(false);
  const later = Date.now() + DAY;
  setClock(() => later);
  expect(takes(orgId(), "m", "tools")).toBe(true);
  await ask();
  expect(takes(orgId(), "m", "tools")).toBe(false);
});

it("asks for a schema, then for JSON, then by its instruction only", async () => {
  refusal = "This model does not support response format `json_schema`.";
  await ask({ responseFormat: { type: "json", schema: { type: "object" } } });
  expect(bodies().map(({ response_format }) => response_format?.type)).toEqual([
    "json_schema",
    "json_object",
    undefined,
  ]);
});

it("doesn't remember a schema that is wrong itself", async () => {
  refusal = "Invalid schema for response_format 'answer'";
  await ask({ responseFormat: { type: "json", schema: { type: "object" } } });
  expect(bodies()).toHaveLength(3);
  expect(leftOut()).toEqual([]);
});

it("doesn't remember of a model that it has other efforts", async () => {
  refusal = "`reasoning_effort` must be one of `none` or `default`";
  await ask({ providerOptions: { console: { effort: "low" } } });
  expect(bodies().map((body) => body.reasoning_effort)).toEqual(["low", undefined]);
  expect(leftOut()).toEqual([]);
});

it("fails a program's call whose tool is wrong, and drops the tool from the console's own calls", async () => {
  refusal = "Invalid schema for function 'add': no";
  await expect(ask()).rejects.toMatchObject({ code: "provider_rejected" });
  expect(toolsOff(orgId(), "m")).toEqual([]);
  await ask({ tools, providerOptions: { console: OWN_TOOLS } });
  expect(bodies()).toHaveLength(3);
  expect(toolsOff(orgId(), "m")).toEqual([{ name: "add", reason: refusal }]);
  expect(leftOut()).toEqual(["add"]);
});

it("fails a program's call rather than go without what changes its answer", async () => {
  refusal = "Unsupported parameter: 'stop'";
  const call = { tools, stopSequences: ["END"] };
  await expect(ask({ ...call, providerOptions: { console: KEEPS_SETTINGS } })).rejects.toMatchObject({
    code: "provider_rejected",
  });
  expect([bodies().length, leftOut()]).toEqual([1, []]);
  // Known from a call of the chat, it is asked again.
  await ask({ responseFormat: { type: "json" }, ...call }).catch(() => undefined);
  expect(leftOut()).toEqual(["stop sequences"]);
  await ask({ ...call, providerOptions: { console: KEEPS_SETTINGS } }).catch(() => undefined);
  expect(bodies().at(-1)).toMatchObject({ stop: ["END"] });
});

it("follows an admin who says what a model can", async () => {
  const say = (capabilities: string[]) =>
    saveModel(test.actors.admin, "m", ModelPatch.parse({ capabilities }));
  say(["text"]);
  await ask();
  expect(bodies()).toEqual([expect.not.objectContaining({ tools: expect.anything() })]);
  say(["text", "function-calling"]);
  expect(takes(orgId(), "m", "tools")).toBe(true);
});

it("leaves a program's own call as it is", async () => {
  const target = { actor: test.actors.owner, model: "m" };
  const sent = routeCall(target, newRouteRecord(), (to) =>
    to.send("/chat/completions", { body: JSON.stringify({ tools: [1] }) }),
  );
  await expect(sent).rejects.toMatchObject({ code: "provider_rejected" });
  expect(bodies()).toEqual([{ tools: [1] }]);
  expect(takes(orgId(), "m", "tools")).toBe(true);
});
