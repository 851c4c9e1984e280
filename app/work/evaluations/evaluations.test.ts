import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { ModelPatch } from "~/ai/models/model-settings.schema";
import { saveModel } from "~/ai/models/model-settings.service.server";
import { insertProviderRow } from "~/ai/models/models.repo.server";
import { healthOf } from "~/ai/models/router/health.server";
import { rawDatabase, transaction } from "~/core/db.server";
import { HOUR, MINUTE } from "~/core/durations";
import { closeWorkerPools } from "~/core/worker-pool.server";
import { parseForm } from "~/http/form.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { startJobs } from "~/platform/jobs/dispatcher.service.server";
import { updateSettings } from "~/platform/settings/settings.service.server";
import { createPrompt } from "~/work/prompts/prompts.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { type MockServer, startMockServer } from "../../../tests/support/mock-server";
import { evaluationJobs } from "./evaluations.jobs.server";
import { Expects, QuestionInput, ResumeInput, RunInput } from "./evaluations.schema";
import {
  createSet,
  deleteQuestion,
  deleteSet,
  listQuestions,
  listSets,
  ownedEvaluations,
  readSet,
  saveQuestion,
  updateSet,
} from "./evaluations.service.server";
import { findProblems } from "./judge.server";
import {
  deleteRun,
  drawHistory,
  exportRun,
  listRuns,
  pageResults,
  readRun,
  resumeRun,
  startRun,
  stopRun,
} from "./runs.service.server";

type Body = { model: string; messages: { role: string; content: string | { text: string }[] }[] };

let upstream: MockServer;
let test: ReturnType<typeof openTestDatabase>;
let stopJobs: (() => Promise<void>) | undefined;
/** Model and text of each call, in order. */
let asked: [model: string, text: string][];
let answer: (model: string, text: string) => string | number | undefined;
/** Whether an answer breaks off after its text. */
let cut: () => boolean;

beforeAll(async () => {
  upstream = await startMockServer((request, response) => {
    if (request.method === "GET") return void response.end('{"data":[]}');
    const { model, messages } = JSON.parse(request.text) as Body;
    const content = messages.at(-1)?.content ?? "";
    const text = typeof content === "string" ? content : content.map((part) => part.text).join("");
    asked.push([model, text]);
    const said = answer(model, text);
    // Without an answer it hangs until the call is aborted.
    if (said === undefined) return;
    if (typeof said === "number")
      return void response
        .writeHead(said, { "content-type": "application/json" })
        .end('{"error":{"message":"Down"}}');
    const chunk = (delta: object, finish: string | null, usage?: object) =>
      `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model, choices: [{ index: 0, delta, finish_reason: finish }], ...(usage && { usage }) })}\n\n`;
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (cut()) {
      response.write(chunk({ role: "assistant", content: said.repeat(1000) }, null));
      return void setImmediate(() => response.destroy());
    }
    const usage = { prompt_tokens: 1000, completion_tokens: 1000, total_tokens: 2000 };
    response.end(
      `${chunk({ role: "assistant", content: said }, null)}${chunk({}, "stop", usage)}data: [DONE]\n\n`,
    );
  });
});
afterAll(async () => {
  await closeWorkerPools();
  await upstream.close();
});

beforeEach(() => {
  test = openTestDatabase({ EGRESS_ALLOW: "127.0.0.1" });
  asked = [];
  answer = () => "It is Bremen.";
  cut = () => false;
  const { orgId } = test.actors.admin;
  const config = { baseUrl: `${upstream.origin}/v1` };
  const models = ["north", "south", "judge"].map((id) => ({ id }));
  const at = { modelsAt: null, priority: 0, createdAt: 1, updatedAt: 1 };
  const row = { id: "prv_mock", orgId, type: "custom", displayName: "Mock", enabled: true, config, models };
  transaction((tx) => insertProviderRow(tx, { ...row, ...at }));
});
afterEach(async () => {
  await stopJobs?.();
  stopJobs = undefined;
  test.close();
});

const until = <T>(check: () => T) => vi.waitFor(check, { timeout: 25_000 });
const expects = (traits: object) => Expects.parse(traits);
const input = (more: object = {}) => RunInput.parse({ subjects: [{ model: "north" }], ...more });

async function makeSet(questions: Record<string, object>, shared = false) {
  const { member } = test.actors;
  const set = createSet(member, { name: "Harbor", shared });
  for (const [question, traits] of Object.entries(questions))
    await saveQuestion(member, set.id, undefined, { question, expects: expects(traits) });
  return set;
}

async function finish(id: string) {
  stopJobs ??= startJobs(evaluationJobs);
  const { member } = test.actors;
  return await until(() => {
    const run = readRun(member, id);
    expect(["done", "failed", "stopped"]).toContain(run.state);
    return run;
  });
}

const count = (table: string) => rawDatabase().prepare(`SELECT count(*) FROM ${table}`).pluck().get();

describe("an evaluation", () => {
  it("is one's own until it is shared, and changed by its author and admins", async () => {
    const { member, viewer, admin } = test.actors;
    const { id } = await makeSet({ Where: { contains: ["Bremen"] } });
    const missing = expect.objectContaining({ code: "not_found" });
    for (const other of [viewer, admin]) {
      expect(listSets(other)).toEqual([]);
      expect(() => readSet(other, id)).toThrow(missing);
      expect(() => listQuestions(other, id)).toThrow(missing);
      expect(() => listRuns(other, id)).toThrow(missing);
    }
    expect(() => startRun(admin, id, input())).toThrow(missing);
    await expect(
      saveQuestion(admin, id, undefined, { question: "x", expects: expects({ lacks: ["y"] }) }),
    ).rejects.toThrow(missing);
    updateSet(member, id, { shared: true });
    expect(listSets(viewer)).toMatchObject([{ id, questions: 1, canEdit: false }]);
    expect(() => updateSet(viewer, id, { name: "Mine" })).toThrow("Only members");
    expect(updateSet(admin, id, { name: "Port" }).name).toBe("Port");
    deleteSet(admin, id);
    expect(listSets(member)).toEqual([]);
    expect(listAudit(test.actors.owner, { limit: 9 }).entries.map(({ action }) => action)).toEqual([
      "evaluation.deleted",
      "evaluation.updated",
      "evaluation.updated",
      "evaluation_question.created",
      "evaluation.created",
    ]);
  });

  it("takes questions with a trait that can be checked alone", async () => {
    const { member } = test.actors;
    const { id } = await makeSet({});
    const parse = (fields: Record<string, string>) => {
      const form = new FormData();
      for (const [name, value] of Object.entries({ question: "Where?", ...fields })) form.append(name, value);
      const { submission } = parseForm(form, QuestionInput, {});
      return submission.status === "success" ? submission.value : submission.error;
    };
    const save = (fields: Record<string, string>) =>
      saveQuestion(member, id, undefined, QuestionInput.parse(parse(fields)));
    expect(parse({})).toEqual({ expects: ["Say at least one trait of a good answer"] });
    expect(parse({ "expects.pattern": "(" })).toHaveProperty(["expects.pattern"]);
    expect(parse({ "expects.contains": `a\n${"b".repeat(501)}` })).toHaveProperty(["expects.contains"]);
    for (const schema of ["[]", "{", JSON.stringify({ enum: ["x".repeat(5000)] })])
      expect(parse({ "expects.jsonSchema": schema })).toHaveProperty(["expects.jsonSchema"]);
    await expect(save({ "expects.documentId": "No such" })).rejects.toMatchObject({
      fields: { "expects.documentId": ['"No such" not found among the documents that everyone can see'] },
    });
    for (const schema of ['{"type":"nothing"}', '{"$ref":"https://example.com/x"}', '{"$ref":"#"}'])
      await expect(save({ "expects.jsonSchema": schema })).rejects.toMatchObject({
        fields: { "expects.jsonSchema": [expect.stringContaining("can't be used")] },
      });
    const { id: question } = await save({ "expects.contains": "Bremen\r\n\n Weser ", "expects.lacks": "" });
    expect(listQuestions(member, id)).toMatchObject([
      { expects: { contains: ["Bremen", "Weser"], lacks: [] } },
    ]);
    const changed = { question: "Who?", expects: expects({ rubric: "Names a person" }) };
    expect(await saveQuestion(member, id, question, changed)).toMatchObject(changed);
  });

  it.each([
    [{ contains: ["BREMEN"], lacks: ["rome"] }, "It is Bremen.", []],
    [
      { contains: ["Kiel"], lacks: ["bremen"] },
      "It is Bremen.",
      ['It doesn\'t contain "Kiel"', 'It contains "bremen"'],
    ],
    [{ pattern: "\\d+ days" }, "28 days", []],
    [{ pattern: "^\\d+ days$" }, "about 28 days", ["It doesn't match ^\\d+ days$"]],
    [{ jsonSchema: { uniqueItems: true } }, "[1, 1]", [expect.stringContaining("must NOT have duplicate")]],
    [
      { jsonSchema: { properties: { a: { type: "integer", default: 1 } }, required: ["a"] } },
      "{}",
      ["It doesn't fit the schema: it must have required property 'a'"],
    ],
    [{ jsonSchema: { type: "object", required: ["city"] } }, '```json\n{"city":"Bremen"}\n```', []],
    [{ jsonSchema: { type: "object" } }, "Bremen", ["It isn't JSON"]],
    [{ jsonSchema: { type: "array" } }, "{}", ["It doesn't fit the schema: it must be array"]],
    [{ documentId: "doc_1" }, "See [1].", ["It doesn't cite the document"]],
  ])("judges by %j", async (traits, text, problems) => {
    expect(await findProblems({ expects: expects(traits), answer: text, cited: [] })).toEqual(problems);
  });
});

describe("a run", () => {
  it("has an error, not a failure, where a check doesn't end", async () => {
    const { member } = test.actors;
    const slow = "^(a+)+$";
    const { id } = await makeSet({ a: { pattern: slow }, b: { jsonSchema: { pattern: slow } } });
    answer = (_, text) => (text === "a" ? `${"a".repeat(60)}!` : `"${"a".repeat(60)}!"`);
    const { id: run } = startRun(member, id, input());
    expect(await finish(run)).toMatchObject({ state: "done", figures: [{ errors: 2, failed: 0 }] });
    expect(pageResults(member, run, -1, 1)[0]?.results[0]?.reasons).toEqual([
      "Not judged: Checking by the pattern or the schema takes too long.",
    ]);
  });

  it("asks each subject each question, judges the answers, and has them as a table", async () => {
    const { member } = test.actors;
    const { id } = await makeSet({
      "Where is the Roland?": { contains: ["Bremen"] },
      "Is it old?": { rubric: "Says how old" },
      "Is it tall?": { rubric: "Says how tall" },
    });
    const prompt = createPrompt(member, { name: "Short", text: "In a word: {{question}}", shared: false });
    answer = (model, text) => {
      if (model === "judge")
        return text.includes("tall") ? "FAIL: It gives no height." : "**PASS**: It says 1404.";
      return model === "south" ? "In Rome." : "In Bremen.";
    };
    expect(() => startRun(member, id, input())).toThrow("Choose a model that judges");
    const subjects = [{ model: "north", promptId: prompt.id }, { model: "south" }];
    const { id: run } = startRun(member, id, input({ subjects, judge: "judge" }));
    expect(() => startRun(member, id, input({ judge: "judge" }))).toThrow("A run goes on");
    const ended = await finish(run);
    expect(ended).toMatchObject({
      state: "done",
      done: 6,
      total: 6,
      subjects: [{ label: "north · Short" }, { label: "south" }],
      figures: [
        { passed: 2, failed: 1, errors: 0 },
        { passed: 1, failed: 2, errors: 0 },
      ],
    });
    expect(pageResults(member, run, -1, 1)).toMatchObject([
      {
        question: "Where is the Roland?",
        results: [
          { outcome: "passed", answer: "In Bremen.", reasons: [] },
          { outcome: "failed", answer: "In Rome.", reasons: ['It doesn\'t contain "Bremen"'] },
        ],
      },
    ]);
    expect(pageResults(member, run, 1, 5)[0]?.results[0]).toMatchObject({
      outcome: "failed",
      reasons: ["It gives no height."],
    });
    expect(asked).toContainEqual(["north", "In a word: Where is the Roland?"]);
    expect(rawDatabase().prepare("SELECT source, count(*) AS n FROM usage_records GROUP BY 1").all()).toEqual(
      [{ source: "evaluation", n: 10 }],
    );
    let csv = "";
    for await (const piece of exportRun(member, run).pieces) csv += piece;
    expect(csv.split("\r\n")).toHaveLength(8);
    expect(csv).toContain('"Where is the Roland?","south","south","failed"');
    expect(drawHistory(member, listRuns(member, id))).toBeUndefined();
  });

  it("goes on after an interruption without asking for what is answered", async () => {
    const { member } = test.actors;
    const { id } = await makeSet(Object.fromEntries([..."abcd"].map((one) => [one, { rubric: "Good" }])));
    answer = (model, text) =>
      model === "judge" ? "PASS: Good." : text === "c" || text === "d" ? undefined : "Yes.";
    const { id: run } = startRun(member, id, input({ judge: "judge" }));
    stopJobs = startJobs(evaluationJobs);
    await until(() => expect(asked.map(([, text]) => text)).toEqual(expect.arrayContaining(["c", "d"])));
    await stopJobs();
    stopJobs = undefined;
    expect(readRun(member, run)).toMatchObject({ state: "queued", done: 2 });
    answer = (model) => (model === "judge" ? "PASS: Good." : "Yes.");
    expect(await finish(run)).toMatchObject({ state: "done", done: 4, error: null });
    const times = (text: string) => asked.filter(([model, one]) => model === "north" && one === text).length;
    expect([..."abcd"].map(times)).toEqual([1, 1, 2, 2]);
    expect(asked.filter(([model]) => model === "judge")).toHaveLength(4);
  });

  it("keeps an answer whose judge is away, and asks the judge alone again", async () => {
    const { member } = test.actors;
    const { id } = await makeSet({ Where: { rubric: "Good" } });
    answer = (model) => (model === "judge" ? 401 : "Yes.");
    const { id: run } = startRun(member, id, input({ judge: "judge" }));
    expect(await finish(run)).toMatchObject({ state: "done", figures: [{ errors: 1 }] });
    expect(pageResults(member, run, -1, 1)[0]?.results[0]).toMatchObject({
      outcome: "error",
      answer: "Yes.",
      reasons: [expect.stringMatching(/^Not judged: /)],
    });
    answer = () => "PASS: Good.";
    resumeRun(member, run);
    await until(() =>
      expect(readRun(member, run)).toMatchObject({ state: "done", figures: [{ passed: 1 }] }),
    );
    expect(asked.map(([model]) => model)).toEqual(["north", "judge", "judge"]);
    expect(() => resumeRun(member, run)).toThrow("has all its answers");
  });

  it("ends at its limit, and at a call of unknown cost; a higher limit goes on", async () => {
    const { member, admin } = test.actors;
    const questions = Object.fromEntries([..."abcdef"].map((one) => [one, { lacks: ["no"] }]));
    const { id } = await makeSet(questions);
    const { id: unpriced } = startRun(member, id, input({ limit: 1 }));
    expect(await finish(unpriced)).toMatchObject({
      state: "failed",
      error: expect.stringContaining(
        "The cost of an answer is unknown, so the limit of $1.00 can't hold. Resume without a limit",
      ),
    });
    const refusedLimit = (message: string) =>
      expect.objectContaining({ code: "invalid", fields: { limit: [expect.stringContaining(message)] } });
    for (const limit of [undefined, 500])
      expect(() => resumeRun(member, unpriced, { limit })).toThrow(refusedLimit("no limit can hold"));
    resumeRun(member, unpriced, ResumeInput.parse({ limit: null }));
    await until(() =>
      expect(readRun(member, unpriced)).toMatchObject({ state: "done", done: 6, limitMicros: null }),
    );
    // $2 a call.
    saveModel(admin, "north", ModelPatch.parse({ cost: { input: 1, output: 1 } }));
    const { id: run } = startRun(member, id, input({ limit: 4 }));
    const ended = await finish(run);
    expect(ended).toMatchObject({ state: "failed", error: expect.stringContaining("its limit of $4.00.") });
    // Two calls run at a time.
    expect(ended.done).toBeGreaterThanOrEqual(2);
    expect(ended.done).toBeLessThanOrEqual(3);
    for (const limit of [undefined, 1, 4])
      expect(() => resumeRun(member, run, { limit })).toThrow(refusedLimit("already. Enter more"));
    resumeRun(member, run, { limit: 100 });
    await until(() =>
      expect(readRun(member, run)).toMatchObject({
        state: "done",
        done: 6,
        figures: [{ costMicros: 12_000_000 }],
      }),
    );
    expect(drawHistory(member, listRuns(member, id))?.points.map(({ total }) => total)).toEqual([100, 100]);
  });

  it("counts what calls that broke off cost, also after it is resumed", async () => {
    const { member, admin } = test.actors;
    const { id } = await makeSet({ a: { rubric: "Good" } });
    // $2 a call.
    for (const model of ["north", "judge"])
      saveModel(admin, model, ModelPatch.parse({ cost: { input: 1, output: 1 } }));
    let isWhole = false;
    answer = (model) => (model === "judge" ? "PASS: Good." : "Yes.");
    cut = () => !isWhole;
    const { id: run } = startRun(member, id, input({ judge: "judge", limit: 3 }));
    const first = await finish(run);
    const [{ costMicros } = {}] = first.figures;
    expect(first).toMatchObject({ state: "done", figures: [{ errors: 1, passed: 0 }] });
    const spent = rawDatabase().prepare("SELECT sum(cost_micros) FROM usage_records").pluck();
    expect(costMicros).toBe(spent.get());
    isWhole = true;
    resumeRun(member, run, { limit: 1000 });
    await until(() =>
      expect(readRun(member, run)).toMatchObject({ state: "done", figures: [{ passed: 1, errors: 0 }] }),
    );
    expect(readRun(member, run).figures[0]?.costMicros).toBe(spent.get());
    expect(spent.get()).toBeGreaterThan(4_000_000);
  });

  it("ends after ten errors in a row, and once its author may not ask", async () => {
    const { member } = test.actors;
    const questions = Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [`q${at}`, { lacks: ["no"] }]),
    );
    const { id } = await makeSet(questions);
    answer = () => 400;
    const { id: run } = startRun(member, id, input());
    const ended = await finish(run);
    expect(ended).toMatchObject({ state: "failed", error: expect.stringContaining("10 errors in a row") });
    expect(asked.length).toBeLessThan(15);
    await stopJobs?.();
    stopJobs = undefined;
    const { id: orphan } = startRun(member, id, input());
    asked = [];
    rawDatabase().prepare("UPDATE users SET role = 'viewer' WHERE id = ?").run(member.userId);
    expect(await finish(orphan)).toMatchObject({ state: "failed", done: 0 });
    expect(asked).toEqual([]);
  });

  it("waits for a paused provider without counting what wasn't asked, and ends when it is away too long", async () => {
    const { member, admin } = test.actors;
    const questions = Object.fromEntries(
      Array.from({ length: 12 }, (_, at) => [`q${at}`, { contains: ["Bremen"] }]),
    );
    const { id } = await makeSet(questions);
    updateSettings(admin, "ai", { retryAttempts: 0 });
    healthOf("prv_mock").coolDown(900);
    const { id: run } = startRun(member, id, input());
    expect(await finish(run)).toMatchObject({ state: "done", figures: [{ passed: 12, errors: 0 }] });
    expect(asked).toHaveLength(12);

    healthOf("prv_mock").coolDown(10 * MINUTE);
    const { id: stopped } = startRun(member, id, input());
    await until(() => expect(readRun(member, stopped).state).toBe("running"));
    stopRun(member, stopped);
    expect(readRun(member, stopped)).toMatchObject({ state: "stopped", done: 0 });

    healthOf("prv_mock").coolDown(HOUR);
    const { id: failed } = startRun(member, id, input());
    expect(await finish(failed)).toMatchObject({
      state: "failed",
      done: 0,
      error: expect.stringContaining("Mock is rate limited"),
    });
    expect(asked).toHaveLength(12);
    healthOf("prv_mock").resetOnChange("new");
  });

  it("is stopped with its call, and leaves nothing when it or its set is deleted", async () => {
    const { member, admin } = test.actors;
    const { id } = await makeSet({ a: { lacks: ["no"] }, b: { lacks: ["no"] }, c: { lacks: ["no"] } }, true);
    answer = (_, text) => (text === "a" ? "Yes." : undefined);
    const { id: run } = startRun(member, id, input());
    stopJobs = startJobs(evaluationJobs);
    await until(() => expect(asked.map(([, text]) => text)).toEqual(["a", "b", "c"]));
    stopRun(admin, run);
    expect(readRun(member, run)).toMatchObject({ state: "stopped", done: 1, total: 3 });
    await until(() => expect(upstream.connections()).toBeGreaterThan(0));
    const { id: second } = startRun(member, id, input());
    await until(() => expect(asked).toHaveLength(6));
    deleteRun(member, run);
    await until(() => expect(count("evaluation_items")).toBe(3));
    transaction((tx) => {
      const after: (() => void)[] = [];
      expect(ownedEvaluations.apply(tx, member, {}, 10, after)).toBe(1);
      for (const work of after) work();
    });
    expect(() => readRun(member, second)).toThrow("Run not found");
    await until(() => expect([count("evaluation_items"), count("evaluation_results")]).toEqual([0, 0]));
    expect([count("evaluation_runs"), count("evaluation_questions")]).toEqual([0, 0]);
  });

  it("has an audit entry for each step, without the questions", async () => {
    const { member, owner } = test.actors;
    const { id } = await makeSet({ "A secret question": { lacks: ["no"] } });
    answer = () => 401;
    const { id: run } = startRun(member, id, input());
    await finish(run);
    resumeRun(member, run);
    stopRun(member, run);
    deleteRun(member, run);
    const [question] = listQuestions(member, id);
    await saveQuestion(member, id, question?.id, {
      question: "B",
      expects: expects({ lacks: ["x"] }),
    });
    deleteQuestion(member, id, question?.id ?? "");
    const { entries } = listAudit(owner, { limit: 20 });
    expect(entries.map(({ action }) => action)).toEqual([
      "evaluation_question.deleted",
      "evaluation_question.updated",
      "evaluation_run.deleted",
      "evaluation_run.stopped",
      "evaluation_run.resumed",
      "evaluation_run.started",
      "evaluation_question.created",
      "evaluation.created",
    ]);
    expect(entries.every(({ resource }) => resource === `evaluation:${id}`)).toBe(true);
    expect(JSON.stringify(entries)).not.toContain("secret");
  });
});
