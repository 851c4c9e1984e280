import { afterAll, expect, it } from "vitest";
import { closeWorkerPools } from "~/core/worker-pool.server";
import { openTestDatabase } from "../../../tests/support/database";
import { callHook, listWebhooks } from "./hooks.service.server";
import { startWorkflows } from "./runs.service.server";
import { createWorkflow } from "./workflows.service.server";

afterAll(closeWorkerPools);

it.each([
  ["a large text, decoded in a thread", "as plain text", `"${'a\\"'.repeat(150_000)}"`],
  ["a small text", "as plain text", '"a\\nb"'],
  ["an object", "as plain text", '{"a":1}'],
  ["a large text as JSON", "with Return Value", `"${"x".repeat(300_000)}"`],
])("answers %s", async (_, respond, json) => {
  const test = openTestDatabase();
  const stop = startWorkflows();
  try {
    const { id } = createWorkflow(test.actors.member, {
      name: "Echo",
      description: "",
      triggers: [{ id: "hook", type: "webhook", config: { respond } }],
      steps: [{ type: "return", config: { value: "{{ trigger.body }}" } }],
      connections: [],
    });
    const token = listWebhooks(test.actors.member, id)[0]?.path.split("/").at(-1) ?? "";
    const call = { token, method: "POST", headers: { "content-type": "application/json" }, query: [] };
    const result = await callHook({
      ...call,
      rawBody: Buffer.from(json),
      signal: AbortSignal.timeout(30_000),
    });
    const value: unknown = JSON.parse(json);
    const expected = respond === "as plain text" && typeof value === "string" ? value : json;
    expect(String(result?.returned?.body) === expected).toBe(true);
  } finally {
    await stop();
    test.close();
  }
});
