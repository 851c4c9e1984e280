import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { rawDatabase } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { listAudit } from "~/platform/audit/audit.service.server";
import { addKey } from "~/team/keys/keys.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { exportWorkflow, importWorkflow } from "./exchange.service.server";
import { callHook, listWebhooks, rotateWebhook } from "./hooks.service.server";
import { runWorkflow, startWorkflows } from "./runs.service.server";
import { compareVersions } from "./versions.service.server";
import { WorkflowInput } from "./workflows.schema";
import {
  createQuickWorkflow,
  createWorkflow,
  deleteWorkflow,
  duplicateWorkflow,
  listVersions,
  pageWorkflows,
  readVersion,
  readWorkflow,
  restoreVersion,
  updateWorkflow,
} from "./workflows.service.server";

let test: ReturnType<typeof openTestDatabase>;
let stop: () => Promise<void>;
beforeEach(() => {
  test = openTestDatabase();
  stop = startWorkflows();
});
afterEach(async () => {
  await stop();
  test.close();
});

type Input = { [K in keyof WorkflowInput]?: unknown };
const input = (more: Input): WorkflowInput => WorkflowInput.parse({ name: "Test", ...more });
const create = (more: Input) => createWorkflow(test.actors.member, input(more));
const log = (message: string, id?: string) => ({ type: "log", ...(id ? { id } : {}), config: { message } });
const actions = (limit: number) =>
  listAudit(test.actors.owner, { limit }).entries.map(({ action, details }) => [
    action,
    details.workflowName,
  ]);

describe("a workflow", () => {
  it("names a step with a hyphen in quotes, and is rejected with that form without them", async () => {
    const steps = (source: string) => [log("First", "step-1"), log(`{{ ${source} }}`, "2nd"), log("x", "c")];
    expect((await create({ steps: steps('steps["step-1"].message') })).steps.map(({ id }) => id)).toEqual([
      "step-1",
      "2nd",
      "c",
    ]);
    const refused = (message: string) =>
      expect.objectContaining({ fields: { "steps.1.config.message": [expect.stringContaining(message)] } });
    expect(() => create({ steps: steps("steps.step-1.message") })).toThrow(refused('Write steps["step-1"]'));
    expect(() => create({ steps: steps("steps.step-1") })).toThrow(refused('Write steps["step-1"]'));
    expect(() => create({ steps: steps("steps.1st.message") })).toThrow(refused('Write steps["1st"]'));
    expect(() => create({ steps: steps('steps["gone"]') })).toThrow(refused(`Step "gone" doesn't exist`));
  });

  it("is rejected at the step whose key is bound to another origin", () => {
    const origin = "https://crm.example.com";
    const { id: key } = addKey(test.actors.owner, {
      provider: "other",
      alias: "QUARTERDECK_KEY_CRM",
      origin,
    });
    const request = (url: string, id = key) => [
      { type: "http_request", config: { method: "GET", url, key: id } },
    ];
    expect(() => create({ steps: request("https://evil.example.com/x") })).toThrow(
      expect.objectContaining({
        code: "invalid",
        fields: {
          "steps.0.config.key": [
            `HTTP Request (http_request_1): The key QUARTERDECK_KEY_CRM can only be sent to ${origin}, not to https://evil.example.com.`,
          ],
        },
      }),
    );
    const { id } = create({ steps: request(`${origin}/contacts`) });
    // Where the address is known only in a run, or the key came from another console, the run decides.
    updateWorkflow(test.actors.member, id, { steps: request("https://{{ trigger.host }}/x") as never });
    updateWorkflow(test.actors.member, id, {
      steps: request("https://evil.example.com/x", "key_none") as never,
    });
  });

  it("from the quick dialog has a manual trigger and one AI Chat step with a test message", () => {
    const made = createQuickWorkflow(test.actors.member, { name: "Quick", description: "" });
    expect(made).toMatchObject({
      enabled: false,
      triggers: [{ type: "manual", id: "manual_1" }],
      steps: [{ type: "ai_completion", config: { prompt: expect.stringContaining("test message") } }],
    });
    expect(actions(1)).toEqual([["workflow.created", "Quick"]]);
    expect(() => createQuickWorkflow(test.actors.viewer, { name: "x", description: "" })).toThrow(
      /Only members/,
    );
  });

  it("gets a version with each change of its steps, but not when enabled or renamed", () => {
    const { id } = create({ steps: [log("one")] });
    expect(updateWorkflow(test.actors.admin, id, { enabled: false })).toMatchObject({
      version: 1,
      enabled: false,
      runsAs: { id: "usr_member" },
    });
    expect(updateWorkflow(test.actors.admin, id, { enabled: true, name: "Other" })).toMatchObject({
      version: 1,
      // The member who enables it lends it their permissions.
      runsAs: { id: "usr_admin" },
    });
    expect(actions(3)).toEqual([
      ["workflow.updated", "Other"],
      ["workflow.enabled", "Other"],
      ["workflow.disabled", "Test"],
    ]);
    expect(updateWorkflow(test.actors.admin, id, { steps: [log("two")], version: 1 }).version).toBe(2);
    expect(() => updateWorkflow(test.actors.admin, id, { steps: [log("three")], version: 1 })).toThrow(
      expect.objectContaining({ code: "conflict" }),
    );
    expect(restoreVersion(test.actors.admin, id, 1)).toMatchObject({
      version: 3,
      steps: [{ config: { message: "one" } }],
    });
    expect(listVersions(test.actors.viewer, id).map(({ version, current }) => [version, current])).toEqual([
      [3, true],
      [2, false],
      [1, false],
    ]);
    expect(compareVersions(test.actors.viewer, id, 1, 2)).toMatchObject({
      changes: [
        {
          kind: "changed",
          label: "Log Output",
          fields: [{ field: "config.message", label: "Message", before: "one", after: "two" }],
        },
      ],
    });
    expect(() => compareVersions(test.actors.viewer, id, 1, 9)).toThrow("Version 9 of this workflow");
  });

  it("is duplicated, exported and imported, disabled each time", () => {
    const { id } = create({ steps: [log("{{ trigger.x }}", "say")], triggers: [{ type: "webhook" }] });
    expect(duplicateWorkflow(test.actors.member, id)).toMatchObject({ name: "Test (copy)", enabled: false });
    const file = JSON.stringify(exportWorkflow(test.actors.viewer, id));
    const token = listWebhooks(test.actors.member, id)[0]?.path.split("/").at(-1) ?? "";
    expect(file).not.toContain(token);
    expect(importWorkflow(test.actors.member, file)).toMatchObject({
      enabled: false,
      steps: [{ id: "say", config: { message: "{{ trigger.x }}" } }],
    });
    for (const bad of ["{", "[]", '{"name":""}', '{"name":"x","steps":[{"type":"nonsense"}]}'])
      expect(() => importWorkflow(test.actors.member, bad)).toThrow(
        expect.objectContaining({ code: "invalid" }),
      );
    expect(pageWorkflows(test.actors.viewer, { limit: 10 }).workflows).toHaveLength(3);
  });

  it("hides what is typed into a step's headers from those who can't change it", () => {
    const config = (key: string) => ({
      url: "https://example.org/",
      method: "GET",
      headers: `X-Key: ${key}`,
    });
    const steps = (key: string) => [{ type: "http_request", id: "get", config: config(key) }];
    const { id } = create({ steps: steps("first") });
    updateWorkflow(test.actors.member, id, {
      steps: WorkflowInput.parse({ name: "x", steps: steps("second") }).steps,
    });
    const seenBy = (actor: (typeof test.actors)["viewer"]) =>
      JSON.stringify([
        readWorkflow(actor, id),
        pageWorkflows(actor, { limit: 9 }),
        readVersion(actor, id, 1),
        compareVersions(actor, id, 1, 2),
      ]);
    expect(seenBy(test.actors.member)).toMatch(/X-Key: first.*X-Key: second/s);
    expect(seenBy(test.actors.viewer)).toContain("https://example.org/");
    expect(seenBy(test.actors.viewer)).not.toContain("X-Key");
    rawDatabase().exec(
      `UPDATE workflow_versions SET definition = replace(definition, 'http_request', 'gone_type')`,
    );
    expect(seenBy(test.actors.viewer)).not.toContain("X-Key");
  });

  it("gets ids that no later part has", () => {
    const triggers = [{ type: "schedule", config: { schedule: "0 9 * * *" } }];
    const { triggers: made, steps } = create({ triggers, steps: [log("a", "schedule_1"), log("b")] });
    expect([...made, ...steps].map(({ id }) => id)).toEqual(["schedule_2", "schedule_1", "log_1"]);
  });

  it("isn't saved over a newer name or description, which the error names, until saved again", () => {
    const { admin, member } = test.actors;
    const { id, updatedAt, name } = create({ steps: [log("one")] });
    const renamed = updateWorkflow(admin, id, { name: "Digest", updatedAt });
    const rename = { name: "Report", description: "Weekly", updatedAt };
    expect(() => updateWorkflow(member, id, rename)).toThrow(
      expect.objectContaining({
        code: "conflict",
        message: expect.stringContaining(
          "The workflow changed since you opened it. What you entered differs in: Name, Description.",
        ),
      }),
    );
    expect(() => updateWorkflow(member, id, { steps: [log("two")], updatedAt })).toThrow(
      "differs in: Steps.",
    );
    expect(updateWorkflow(member, id, { ...rename, updatedAt: renamed.updatedAt }).name).toBe("Report");
    expect(name).toBe("Test");
  });

  it("can be saved if only its switch changed meanwhile", () => {
    const { id, version, updatedAt, name, description } = create({ steps: [log("one")] });
    updateWorkflow(test.actors.admin, id, { enabled: false });
    const patch = { name, description, steps: [log("two")], version, updatedAt };
    expect(updateWorkflow(test.actors.member, id, patch).version).toBe(2);
  });

  it("without steps stays disabled and can't be enabled or run, nor be emptied while active", async () => {
    const { member } = test.actors;
    const { id, enabled } = create({ triggers: [{ type: "schedule" }] });
    expect(enabled).toBe(false);
    const refused = "The workflow has no steps. Add one first.";
    expect(() => updateWorkflow(member, id, { enabled: true })).toThrow(refused);
    expect(updateWorkflow(member, id, { enabled: true, steps: [log("one")] }).enabled).toBe(true);
    expect(() => updateWorkflow(member, id, { steps: [] })).toThrow(
      "An active workflow needs at least one step. Add one, or disable it first.",
    );
    // From before this rule.
    rawDatabase()
      .prepare("UPDATE workflow_versions SET definition = json_set(definition, '$.steps', json('[]'))")
      .run();
    await expect(runWorkflow(member, id, {})).rejects.toThrow(refused);
  });

  it("is deleted with its versions, schedules and webhooks", () => {
    const { id } = create({
      steps: [log("x")],
      triggers: [{ type: "schedule", config: { cron: "0 9 * * *" } }, { type: "webhook" }],
    });
    const rows = () =>
      ["schedules WHERE key LIKE 'workflow:%'", "workflow_hooks", "workflow_versions"].map((table) =>
        rawDatabase().prepare(`SELECT count(*) FROM ${table}`).pluck().get(),
      );
    expect(rows()).toEqual([1, 1, 1]);
    updateWorkflow(test.actors.member, id, { enabled: false });
    expect(rows()).toEqual([0, 1, 1]);
    deleteWorkflow(test.actors.member, id);
    expect(rows()).toEqual([0, 0, 0]);
    expect(actions(9)).toEqual([
      ["workflow.deleted", "Test"],
      ["workflow.disabled", "Test"],
      ["workflow.created", "Test"],
    ]);
  });
});

describe("a definition that can't work is refused with the reason", () => {
  const fieldsOf = (more: Input): Record<string, string[]> => {
    try {
      create(more);
    } catch (error) {
      if (error instanceof AppError) return error.fields ?? {};
      throw error;
    }
    return {};
  };
  const two = [log("a", "a"), log("b", "b")];

  it.each<[string, Input, string, RegExp]>([
    [
      "a cycle",
      {
        steps: two,
        connections: [
          { from: "a", to: "b" },
          { from: "b", to: "a" },
        ],
      },
      "connections",
      /cycle: a → b → a/,
    ],
    ["an unknown step type", { steps: [{ type: "magic" }] }, "steps.0.type", /Unknown step type "magic"/],
    ["an unknown trigger type", { triggers: [{ type: "magic" }] }, "triggers.0.type", /Unknown trigger type/],
    [
      "a missing field",
      { steps: [{ id: "ai", type: "ai_completion", config: {} }] },
      "steps.0.config.prompt",
      /AI Chat \(ai\): Prompt: Enter a prompt/,
    ],
    [
      "an expression that doesn't parse",
      { steps: [log("{{ trigger. }}", "a")] },
      "steps.0.config.message",
      /Message/,
    ],
    [
      "an output of a later step",
      { steps: [log("{{ steps.b }}", "a"), log("x", "b")] },
      "steps.0.config.message",
      /must come before/,
    ],
    [
      "an output of no step",
      { steps: [log("{{ steps.nothing }}", "a")] },
      "steps.0.config.message",
      /Step "nothing" doesn.t exist/,
    ],
    ["two steps with one id", { steps: [log("x", "a"), log("y", "a")] }, "steps.1.id", /twice/],
    [
      "a connection to nothing",
      { steps: two, connections: [{ from: "a", to: "z" }] },
      "connections.0",
      /Step "z" to connect/,
    ],
    [
      "a branch that isn't there",
      { steps: two, connections: [{ from: "a", to: "b", branch: "true" }] },
      "connections.0",
      /no branch/,
    ],
    [
      "a cron that never comes",
      { triggers: [{ type: "schedule", config: { cron: "0 0 30 2 *" } }] },
      "triggers.0.config.cron",
      /^Schedule Trigger \(.+\): Cron expression: This schedule has no due time/,
    ],
    [
      "a jump back",
      {
        steps: [
          log("x", "a"),
          { id: "c", type: "condition", config: { condition: "true", trueAction: "a" } },
        ],
      },
      "steps.1.config.trueAction",
      /later step/,
    ],
    [
      "an expression of 1 MB",
      { steps: [{ type: "condition", config: { condition: "1".repeat(400_000) } }] },
      "steps.0.config.condition",
      /4,000 characters/,
    ],
    [
      "10,000 parentheses",
      { steps: [{ type: "condition", config: { condition: `${"(".repeat(1990)}1${")".repeat(1990)}` } }] },
      "steps.0.config.condition",
      /./,
    ],
    [
      "a regular expression",
      { steps: [{ type: "condition", config: { condition: "'a'.matches('(a+)+$')" } }] },
      "steps.0.config.condition",
      /matches/,
    ],
    [
      "a branch by the list's order that needs connections",
      {
        steps: [
          { id: "fork", type: "parallel" },
          log("x", "x"),
          { id: "if", type: "condition", config: { condition: "true" } },
        ],
      },
      "steps.2.type",
      /"if" can't be a branch of "fork" by the list's order/,
    ],
    [
      "a branch that reads one that runs at the same time",
      { steps: [{ id: "fork", type: "parallel" }, log("a", "a"), log("{{ steps.a.message }}", "b")] },
      "steps.2.config.message",
      /Step "a" must come before this one/,
    ],
  ])("%s", (_, more, field, message) => {
    expect(fieldsOf(more)[field]?.[0] ?? "").toMatch(message);
  });

  it("a workflow that calls itself", () => {
    const { id } = create({ steps: [log("x")] });
    const steps = [{ type: "call_workflow", config: { workflow: id, payload: "{}" } }];
    expect(() => updateWorkflow(test.actors.member, id, { steps })).toThrow(/can't call itself/);
  });
});

describe("a webhook", () => {
  const call = (token: string, more: Partial<Parameters<typeof callHook>[0]> = {}) =>
    callHook({
      token,
      method: "POST",
      headers: { "content-type": "application/json" },
      query: [],
      rawBody: Buffer.from('{"n": 2}'),
      signal: AbortSignal.timeout(10_000),
      ...more,
    });
  const tokenOf = (id: string) => listWebhooks(test.actors.member, id)[0]?.path.split("/").at(-1) ?? "";

  it("starts a run with its body, and waits for Return Value if configured", async () => {
    const { id } = create({
      triggers: [{ type: "webhook", config: { respond: "with Return Value" } }],
      steps: [{ type: "return", config: { value: "{{ trigger.body.n + 1 }}" } }],
    });
    const answer = await call(tokenOf(id));
    expect(answer).toMatchObject({ repeated: false, end: { state: "succeeded", output: 3 } });
    expect(listAudit(test.actors.owner, { limit: 1 }).entries[0]).toMatchObject({
      action: "workflow.executed",
      actorKind: "workflow",
      userId: "usr_member",
    });
  });

  it("accepts only its method and secret address, and starts one run per idempotency key", async () => {
    const { id } = create({ triggers: [{ id: "hook", type: "webhook" }], steps: [log("x")] });
    const token = tokenOf(id);
    const refused = (code: string) => expect.objectContaining({ code });
    await expect(call("nothing")).rejects.toEqual(refused("not_found"));
    await expect(call(token, { method: "GET" })).rejects.toEqual(refused("method_not_allowed"));
    await expect(call(token, { rawBody: Buffer.from("{") })).rejects.toEqual(refused("invalid"));
    const headers = { "idempotency-key": "k" };
    const first = await call(token, { headers });
    expect(await call(token, { headers })).toEqual({ runId: first?.runId, repeated: true });
    rotateWebhook(test.actors.member, id, "hook");
    expect(listAudit(test.actors.owner, { limit: 9 }).entries).toMatchObject([
      {
        action: "workflow.webhook_rotated",
        resource: `workflow:${id}`,
        details: { workflowName: "Test", trigger: "hook" },
      },
      { action: "workflow.executed" },
      { action: "workflow.created" },
    ]);
    await expect(call(token)).rejects.toEqual(refused("not_found"));
    updateWorkflow(test.actors.member, id, { enabled: false });
    await expect(call(tokenOf(id))).rejects.toEqual(refused("conflict"));
  });
});
