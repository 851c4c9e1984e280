import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closeWorkerPools } from "~/core/worker-pool.server";
import { openTestDatabase } from "../../../tests/support/database";
import { type MockServer, startMockServer } from "../../../tests/support/mock-server";
import { SMTPServer } from "../../../tests/support/sdks";
import { makeCollection } from "../../../tests/support/search-collection";
import { engine } from "./engine/local-engine.server";
import { findTemplate } from "./exchange.service.server";
import type { RunDetails } from "./runs.schema";
import { answerStep, readRun, runWorkflow, startWorkflows } from "./runs.service.server";
import { findStepType } from "./steps/index.server";
import { templates } from "./templates";
import { findTriggerType } from "./triggers/index.server";
import { createWorkflow } from "./workflows.service.server";

let test: ReturnType<typeof openTestDatabase>;
let stop: () => Promise<void>;
let page: MockServer;
let status = 200;
let mail: SMTPServer;
const sent: string[][] = [];

/** The outside world of the templates: a web page, a mail server, and one document. */
beforeAll(async () => {
  page = await startMockServer((_, response) => {
    response.writeHead(status, { "content-type": "text/plain" }).end("The page as it is.");
  });
  mail = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onData(stream, { envelope }, done) {
      stream.resume().on("end", () => {
        sent.push(envelope.rcptTo.map(({ address }) => address));
        done();
      });
    },
  });
  const listening = mail.listen(0, "127.0.0.1");
  await new Promise((resolve) => listening.once("listening", resolve));
  const { port } = listening.address() as AddressInfo;
  test = openTestDatabase({ EGRESS_ALLOW: "127.0.0.1", SMTP_URL: `smtp://127.0.0.1:${port}?tls=off` });
  stop = startWorkflows();
});
afterAll(async () => {
  await stop();
  await closeWorkerPools();
  await new Promise<void>((resolve) => mail.close(() => resolve()));
  await page.close();
  test.close();
});

function template(id: string) {
  const found = findTemplate("org_1", id);
  if (!found) throw new Error(`no template ${id}`);
  return found;
}

/** Runs a template as the engine does; who is asked approves. */
async function run(id: string, payload: Record<string, unknown> = {}, approved = true): Promise<RunDetails> {
  const { id: _, ...workflow } = template(id);
  const { member } = test.actors;
  const { id: workflowId } = createWorkflow(member, workflow);
  const { id: runId } = await runWorkflow(member, workflowId, payload);
  if (workflow.steps.some(({ type }) => type === "approval")) {
    await expect.poll(() => readRun(member, runId).state).toBe("waiting");
    answerStep(member, runId, readRun(member, runId).stepId ?? "", approved);
  }
  await engine().ended(runId, AbortSignal.timeout(20_000));
  return readRun(member, runId);
}
const stepsOf = ({ steps }: RunDetails) => steps.map(({ key }) => key);
const logsOf = ({ steps }: RunDetails) => steps.flatMap(({ log }) => log.map(({ message }) => message));

describe("the templates", () => {
  it("number at least eight, each with a unique id and name", () => {
    expect(templates.length).toBeGreaterThanOrEqual(8);
    expect(new Set(templates.map(({ id }) => id)).size).toBe(templates.length);
    expect(new Set(templates.map(({ name }) => name)).size).toBe(templates.length);
  });

  it.each(templates)("$id uses only fields of its parts", ({ triggers, steps }) => {
    for (const { type, config } of triggers)
      expect(findTriggerType(type)?.config.parse(config)).toEqual(config);
    for (const step of steps) {
      const fields = new Set((findStepType(step.type)?.fields ?? []).map(({ name }) => name));
      expect(Object.keys(step.config).filter((name) => !fields.has(name))).toEqual([]);
    }
  });

  it.each(templates)("$id runs unchanged with the built-in model", async ({ id }) => {
    const done = await run(id, { url: page.origin });
    expect([done.error, done.state]).toEqual([null, "succeeded"]);
  });

  it("send, answer and import as described", async () => {
    expect((await run("ask-before-sending", {}, false)).steps.at(-1)?.key).toBe("note_refused");
    const before = sent.length;
    expect(logsOf(await run("nine-oclock-digest"))).toEqual(["Digest made of 0 passages."]);
    expect(sent).toHaveLength(before);
    makeCollection().add({ name: "Plan", chunks: ["Decisions and deadlines: the plan is due in May."] });
    expect(logsOf(await run("nine-oclock-digest"))).toEqual(["Digest made of 1 passages."]);
    expect(sent.at(-1)).toEqual(["team@example.com"]);
    const answered = await run("answer-from-documents", { question: 'When is the "plan" due?' });
    expect(answered.output).toMatchObject({
      sources: [{ title: "Plan", url: expect.stringContaining("/rag/") }],
    });
    expect((await run("weekly-database-report")).output).toMatchObject({ rows: [] });
  });

  it("report when something changed or is down", async () => {
    expect(stepsOf(await run("watch-a-page", { url: page.origin }))).toEqual(["page", "before", "changed"]);
    expect(logsOf(await run("health-check", { url: page.origin }))).toEqual([
      `${page.origin} returned HTTP 200.`,
    ]);
    status = 503;
    expect(logsOf(await run("health-check", { url: page.origin }))).toEqual([`${page.origin} is down.`]);
  });
});
