import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { afterAll, afterEach, beforeEach, expect, it } from "vitest";
import { keepResultFile } from "~/ai/tools/files/result-files.service.server";
import { rawDatabase, transaction } from "~/core/db.server";
import { closeWorkerPools } from "~/core/worker-pool.server";
import { startJobs } from "~/platform/jobs/dispatcher.service.server";
import { documentJobs } from "~/work/documents/documents.jobs.server";
import { providers } from "~db/schema";
import { addConversation } from "../../../tests/support/conversations";
import { openTestDatabase } from "../../../tests/support/database";
import { startMailServer } from "../../../tests/support/mail-server";
import { engine } from "./engine/local-engine.server";
import { readRun, runWorkflow, startWorkflows } from "./runs.service.server";
import type { WorkflowInput } from "./workflows.schema";
import { createWorkflow } from "./workflows.service.server";

const TEXT = "The berth is free on Tuesday.";

let test: ReturnType<typeof openTestDatabase>;
let stops: (() => Promise<unknown>)[];
let server: Server;
let origin: string;
let mail: Awaited<ReturnType<typeof startMailServer>>;
let asked: { url: string; type: string | undefined; body: Buffer }[];

beforeEach(async () => {
  asked = [];
  server = createServer(async (request, response) => {
    asked.push({
      url: request.url ?? "",
      type: request.headers["content-type"],
      body: await buffer(request),
    });
    if (request.url === "/v1/chat/completions") {
      response.setHeader("content-type", "text/event-stream");
      const chunk = { id: "1", object: "chat.completion.chunk", created: 1, model: "small" };
      const delta = (more: object) => `data: ${JSON.stringify({ ...chunk, ...more })}\n\n`;
      response.write(delta({ choices: [{ index: 0, delta: { content: "Tuesday." }, finish_reason: null }] }));
      response.write(delta({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }));
      response.end("data: [DONE]\n\n");
      return;
    }
    if (request.url === "/note") {
      response.setHeader("content-type", "application/octet-stream");
      response.setHeader("content-disposition", `attachment; filename="note.txt"`);
    }
    response.end(request.url === "/note" ? TEXT : "taken");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  mail = await startMailServer();
  test = openTestDatabase({ EGRESS_ALLOW: "127.0.0.1", SMTP_URL: mail.url });
  transaction((tx) =>
    tx
      .insert(providers)
      .values({
        id: "prv_mock",
        orgId: test.actors.member.orgId,
        type: "custom",
        displayName: "Mock",
        enabled: true,
        priority: 1,
        config: { baseUrl: `${origin}/v1` },
        models: ["small"],
        createdAt: 1,
        updatedAt: 1,
      })
      .run(),
  );
  stops = [startWorkflows(), startJobs(documentJobs)];
});
afterEach(async () => {
  for (const stop of stops) await stop();
  await mail.close();
  await new Promise((resolve) => server.close(resolve));
  test.close();
});
afterAll(closeWorkerPools);

async function run(steps: WorkflowInput["steps"], payload: Record<string, unknown> = {}) {
  const { member } = test.actors;
  const { id } = createWorkflow(member, {
    name: "Files",
    description: "",
    triggers: [{ type: "manual" }],
    steps,
    connections: [],
  });
  const { id: runId } = await runWorkflow(member, id, payload as never);
  await engine().ended(runId, AbortSignal.timeout(20_000));
  return readRun(member, runId);
}

it("hands a file from a request to a request, a message, the documents, a model and the run's result", async () => {
  const file = "steps.get.files[0]";
  const { state, error, output } = await run([
    { type: "http_request", id: "get", config: { url: `${origin}/note`, keepFile: true } },
    { type: "http_request", id: "put", config: { url: `${origin}/take`, method: "PUT", bodyFile: file } },
    {
      type: "send_email",
      id: "mail",
      config: { to: "ada@example.com", subject: "Note", body: "Attached.", files: "steps.get" },
    },
    { type: "ingest_document", id: "add", config: { file } },
    { type: "ai_completion", id: "ask", config: { model: "small", prompt: "When?", files: file } },
    { type: "return", id: "end", config: { value: "{{ steps.get.files }}" } },
  ]);
  expect([state, error]).toEqual(["succeeded", null]);
  expect(output).toEqual([
    { id: expect.stringMatching(/^tfl_/), name: "note.txt", mediaType: "application/octet-stream", size: 29 },
  ]);
  const put = asked.find(({ url }) => url === "/take");
  expect([put?.body.toString(), put?.type]).toEqual([TEXT, "application/octet-stream"]);
  expect(mail.text(0)).toContain("filename=note.txt");
  expect(mail.received[0]?.source).toContain(Buffer.from(TEXT).toString("base64"));
  expect(asked.find(({ url }) => url === "/v1/chat/completions")?.body.toString()).toContain(TEXT);
  const names = () =>
    rawDatabase().prepare("SELECT name FROM documents WHERE status = 'ready'").pluck().all();
  await expect.poll(names).toEqual(["note.txt"]);
});

it("reads no file of a conversation, nor one that is gone, whatever the trigger's data say", async () => {
  const { member } = test.actors;
  addConversation("con_1", []);
  const kept = await keepResultFile(
    member,
    { kind: "chat", conversationId: "con_1", messageId: "msg_1" },
    { name: "private.txt", bytes: Buffer.from("secret") },
  );
  for (const file of [kept, { ...kept, id: "tfl_gone" }]) {
    const steps: WorkflowInput["steps"] = [
      {
        type: "http_request",
        id: "put",
        config: { url: `${origin}/take`, method: "POST", bodyFile: "trigger.file" },
      },
    ];
    const { state, error } = await run(steps, { file });
    expect([state, error]).toEqual(["failed", expect.stringContaining("isn't one of a run")]);
  }
  expect(asked).toEqual([]);
});
