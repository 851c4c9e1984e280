import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setClock } from "~/core/clock.server";
import { DAY } from "~/core/durations";
import { listAudit } from "~/platform/audit/audit.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { startMailServer } from "../../../tests/support/mail-server";
import {
  answerByLink,
  approvalLinks,
  createApprovalLink,
  readApproval,
} from "./approval-links.service.server";
import { engine } from "./engine/local-engine.server";
import { cancelRun, readRun, runWorkflow, startWorkflows } from "./runs.service.server";
import { createWorkflow } from "./workflows.service.server";

const from = { address: "192.0.2.7", requestId: "req_1" };
let test: ReturnType<typeof openTestDatabase>;
let mail: Awaited<ReturnType<typeof startMailServer>>;
let stop: () => Promise<void>;

beforeEach(async () => {
  mail = await startMailServer();
  test = openTestDatabase({ PUBLIC_URL: "https://console.example.com", SMTP_URL: mail.url });
  stop = startWorkflows();
});
afterEach(async () => {
  await stop();
  setClock();
  test.close();
  await mail.close();
});

async function ask(config: Record<string, unknown> = {}) {
  const { id } = createWorkflow(test.actors.member, {
    name: "Newsletter",
    description: "",
    triggers: [{ type: "manual" }],
    steps: [
      { id: "ask", type: "approval", config: { question: "Send it?", details: "To all", ...config } },
      { id: "end", type: "return", config: { value: "{{ steps.ask.approved }}" } },
    ],
    connections: [],
  });
  const { id: runId } = await runWorkflow(test.actors.member, id, {});
  await expect.poll(() => readRun(test.actors.member, runId).state).toBe("waiting");
  const link = approvalLinks(test.actors.member, runId, "").ask ?? "";
  return { runId, token: link.split("/").at(-1) ?? "" };
}

const last = () => listAudit(test.actors.owner, { limit: 1 }).entries[0];

describe("a signed link to a question", () => {
  it("shows the question, and answers once as its recipient", async () => {
    const { runId, token } = await ask();
    expect(readApproval(token)).toMatchObject({
      problem: null,
      question: { question: "Send it?", details: "To all", workflowName: "Newsletter", runId },
      answer: null,
    });
    answerByLink(token, true, from);
    expect(last()).toMatchObject({
      action: "workflow.link_approved",
      userId: "a guest of member",
      actorKind: "link",
      address: "192.0.2.7",
      details: { recipient: "a guest of member", step: "ask" },
    });
    expect(await engine().ended(runId, AbortSignal.timeout(10_000))).toMatchObject({ output: true });
    expect(readApproval(token)).toMatchObject({ answer: { approved: true, by: "a guest of member" } });
    expect(() => answerByLink(token, false, from)).toThrow(/no longer waiting/);
    expect(readRun(test.actors.member, runId).steps[0]?.output).toMatchObject({ approved: true });
  });

  it("is created for a named recipient by users who may answer, with an audit entry", async () => {
    const { runId } = await ask({ timeoutHours: 2 });
    const input = { step: "ask", recipient: "ada@example.org" };
    const origin = "https://console.example.com";
    const made = createApprovalLink(test.actors.member, runId, input, origin);
    expect(made).toMatchObject({ recipient: "ada@example.org", expiresAt: expect.stringMatching(/Z$/) });
    expect(last()).toMatchObject({ action: "workflow.link_created", userId: "usr_member", details: input });
    expect(() => createApprovalLink(test.actors.viewer, runId, input, origin)).toThrow(/Only members/);
    expect(() => createApprovalLink(test.actors.member, runId, { ...input, step: "end" }, origin)).toThrow(
      /doesn't wait for an answer/,
    );
    expect(() => createApprovalLink(test.actors.member, "run_none", input, origin)).toThrow(/Run not found/);
    answerByLink(made.link.replace(`${origin}/approve/`, ""), false, from);
    expect(last()).toMatchObject({ userId: "ada@example.org", actorKind: "link" });
  });

  it("is emailed to each recipient with a link of their own", async () => {
    const { runId } = await ask({ sendTo: "ada@example.org, ben@example.org" });
    expect(mail.received.map(({ to }) => to)).toEqual([["ada@example.org"], ["ben@example.org"]]);
    const token = /\/approve\/([\w.-]+)/.exec(mail.text(1))?.[1] ?? "";
    answerByLink(token, false, from);
    expect(last()).toMatchObject({
      action: "workflow.link_refused",
      details: { recipient: "ben@example.org" },
    });
    expect(await engine().ended(runId, AbortSignal.timeout(10_000))).toMatchObject({ state: "succeeded" });
    const [step] = readRun(test.actors.member, runId).steps;
    expect(step).toMatchObject({ output: { approved: false, by: "ben@example.org" } });
    expect(step?.log.map(({ message }) => message)).toEqual([
      "Emailed to ada@example.org",
      "Emailed to ben@example.org",
    ]);
  });

  it("leaves the question on the run's page if the email can't be sent", async () => {
    await mail.close();
    const { runId, token } = await ask({ sendTo: "ada@example.org" });
    expect(readRun(test.actors.member, runId).steps[0]?.log).toMatchObject([{ level: "warn" }]);
    expect(readApproval(token).problem).toBeNull();
  });

  it("stops working if changed, expired or after its run, and isn't offered to viewers", async () => {
    const { runId, token } = await ask();
    expect(readApproval(`x${token}`).problem).toMatch(/not valid/);
    expect(() => answerByLink("made-up.token", true, from)).toThrow(/not valid/);
    expect(approvalLinks(test.actors.viewer, runId, "")).toEqual({});
    setClock(() => Date.now() + 8 * DAY);
    expect(readApproval(token).problem).toMatch(/expired/);
    expect(() => answerByLink(token, true, from)).toThrow(/expired/);
    setClock();
    cancelRun(test.actors.member, runId);
    expect(readApproval(token).problem).toMatch(/no longer waiting/);
    expect(() => answerByLink(token, true, from)).toThrow(/no longer waiting/);
  });
});
