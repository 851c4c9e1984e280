import { describe, expect, it, vi } from "vitest";
import { evaluateExpression, fillTemplate, type Scope } from "~/core/expressions/expressions.server";
import { closeWorkerPools } from "~/core/worker-pool.server";
import { openTestDatabase } from "../../../../tests/support/database";
import { makeStepServices } from "../step-services.server";
import { findStepType } from "../steps/index.server";
import type { Json, StepResult, StepServices } from "../steps/step-type";
import { findTriggerType } from "../triggers/index.server";
import { WorkflowDefinition, type WorkflowStep } from "../workflows.schema";
import { findTemplate, templates, type WorkflowTemplate } from "./index";

const found = { title: "Plan", content: "The plan.", url: "/rag/1", score: 1 };
const answer = { model: "m", provider: "P", inputTokens: 1, outputTokens: 1, costMicros: null };

function fakeServices(changes: Partial<StepServices> = {}) {
  return {
    generate: vi.fn(async () => ({ ...answer, text: "An urgent text." })),
    defaultModel: async () => "m",
    searchDocuments: vi.fn(async () => ({
      results: [found],
      count: 1,
      text: "[1] Plan\nThe plan.",
      notice: null,
    })),
    ingestDocument: vi.fn(async () => ({ id: "doc_1" })),
    callTool: vi.fn(
      async (name: string): Promise<Json> => (name === "web.fetch" ? { text: "Now." } : { found: false }),
    ),
    request: vi.fn(async () => ({ status: 200, headers: {}, body: "ok" })),
    sendEmail: vi.fn(async () => ({ accepted: 1 })),
    queryDatabase: vi.fn(async () => ({
      rows: [{ status: "paid", orders: 2 }],
      rowCount: 1,
      truncated: false,
    })),
    ...changes,
  } satisfies StepServices;
}

/** A configuration with its expressions filled in, as the engine does it. */
function fill(step: WorkflowStep, scope: Scope): Record<string, unknown> {
  const fields = findStepType(step.type)?.fields ?? [];
  return Object.fromEntries(
    Object.entries(step.config).map(([name, value]) => {
      const language = fields.find((field) => field.name === name)?.language;
      if (typeof value !== "string" || value === "") return [name, value];
      if (language === "expression") return [name, evaluateExpression(value, scope)];
      if (language === "lines") return [name, value.split("\n").map((line) => fillTemplate(line, scope))];
      return [name, language === "text" ? fillTemplate(value, scope) : value];
    }),
  );
}

/** Runs a template in its steps' order, along its branches, without journal or retries. */
async function run(template: WorkflowTemplate, trigger: Json, services: StepServices = fakeServices()) {
  const scope = { trigger, steps: {} as Record<string, Json>, run: {}, workflow: {} };
  const ran: string[] = [];
  const logs: string[] = [];
  async function runStep(step: WorkflowStep, more: Scope = {}): Promise<StepResult> {
    const type = findStepType(step.type);
    if (!type) throw new Error(`no step type ${step.type}`);
    ran.push(step.id);
    const config = type.config.parse(fill(step, { ...scope, ...more })) as { items?: Json[] };
    if (type.control === "each") {
      const body = template.steps[template.steps.indexOf(step) + 1];
      for (const [index, item] of (config.items ?? []).entries())
        if (body) await runStep(body, { item, index });
      return { output: config.items?.length ?? 0 };
    }
    if (!type.run) return { output: { approved: true }, branch: "approved" };
    const result = await type.run({
      config,
      actor: { kind: "workflow", userId: "u", orgId: "o", role: "member" },
      runId: "run_1",
      stepId: step.id,
      idempotencyKey: `run_1:${step.id}`,
      attempt: 1,
      signal: new AbortController().signal,
      services,
      log: (_, message) => logs.push(message),
    });
    scope.steps[step.id] = result.output;
    return result;
  }
  const after = (step: WorkflowStep, branch: string | undefined): string | undefined => {
    if (template.connections.length > 0)
      return template.connections.find(({ from, branch: way }) => from === step.id && way === branch)?.to;
    const skipped = step.type === "each" ? 2 : 1;
    const next = template.steps[template.steps.indexOf(step) + skipped]?.id;
    const action = branch && step.type === "condition" ? step.config[`${branch}Action`] : "continue";
    if (action === "stop") return undefined;
    return action === "continue" ? next : String(action);
  };
  let output: Json = null;
  let id = template.steps[0]?.id;
  while (id) {
    const step = template.steps.find((one) => one.id === id);
    if (!step) throw new Error(`no step ${id}`);
    const result = await runStep(step);
    if (result.returns) output = result.output;
    id = result.returns ? undefined : after(step, result.branch);
  }
  return { ran, logs, output };
}

function template(id: string): WorkflowTemplate {
  const one = findTemplate(id);
  if (!one) throw new Error(`no template ${id}`);
  return one;
}

describe("the templates", () => {
  it("are at least eight, each with an id and a name of its own", () => {
    expect(templates.length).toBeGreaterThanOrEqual(8);
    expect(new Set(templates.map(({ id }) => id)).size).toBe(templates.length);
    expect(new Set(templates.map(({ name }) => name)).size).toBe(templates.length);
  });

  it.each(templates)("$id is a sound workflow", ({ triggers, steps, connections }) => {
    WorkflowDefinition.parse({ triggers, steps, connections });
    for (const { type, config } of triggers)
      expect(findTriggerType(type)?.config.parse(config)).toEqual(config);
    const known = new Set([...triggers, ...steps].map(({ id }) => id));
    expect(known.size).toBe(triggers.length + steps.length);
    for (const { from, to } of connections) expect([known.has(from), known.has(to)]).toEqual([true, true]);
    for (const step of steps) {
      const fields = new Set((findStepType(step.type)?.fields ?? []).map(({ name }) => name));
      expect(Object.keys(step.config).filter((name) => !fields.has(name))).toEqual([]);
    }
  });

  it.each(templates)("$id runs as it is", async (one) => {
    const { ran } = await run(one, {});
    expect(ran.length).toBeGreaterThan(1);
  });

  it("run with the built-in model and the console's own services", async () => {
    const test = openTestDatabase();
    const { signal } = new AbortController();
    const services = makeStepServices({
      actor: { ...test.actors.member, kind: "workflow" },
      workflowId: "wf_1",
      runId: "run_1",
      stepId: "s",
      signal,
      onUsage: () => undefined,
    });
    for (const one of templates.filter(({ needs }) => !needs)) await run(one, {}, services);
    const { output } = await run(template("weekly-database-report"), {}, services);
    expect(output).toMatchObject({ report: expect.stringContaining("not a language model"), rows: [] });
    await closeWorkerPools();
    test.close();
  });

  it("skip what has nothing to do", async () => {
    const none = fakeServices({
      searchDocuments: async () => ({ results: [], count: 0, text: "", notice: null }),
    });
    expect((await run(template("nine-oclock-digest"), {}, none)).logs).toEqual([
      "Digest made of 0 passages.",
    ]);
    expect(none.sendEmail).not.toHaveBeenCalled();
    const same = fakeServices({
      callTool: async (name): Promise<Json> =>
        name === "web.fetch" ? { text: "Same." } : { found: true, value: "Same." },
    });
    expect((await run(template("watch-a-page"), {}, same)).ran).toEqual(["page", "before", "changed"]);
    const down = fakeServices({ request: async () => ({ status: 503, headers: {}, body: "" }) });
    expect((await run(template("health-check"), { url: "https://a.example/" }, down)).logs).toEqual([
      "https://a.example/ is down.",
    ]);
    const normal = fakeServices({ generate: async () => ({ ...answer, text: "Normal." }) });
    expect((await run(template("triage-a-message"), { message: "Hi" }, normal)).output).toBe("normal");
  });

  it("take their data from the trigger", async () => {
    const services = fakeServices();
    await run(template("import-a-list"), { items: [{ title: "A", text: "B" }] }, services);
    expect(vi.mocked(services.ingestDocument).mock.calls).toEqual([[{ title: "A", text: "B" }]]);
    const { output } = await run(template("answer-from-documents"), { question: 'Why "so"?' }, services);
    expect(services.searchDocuments).toHaveBeenCalledWith({ query: 'Why "so"?', topK: 5 });
    expect(output).toEqual({ answer: "An urgent text.", sources: [{ title: "Plan", url: "/rag/1" }] });
  });
});
