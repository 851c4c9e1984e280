import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, expect, it } from "vitest";
import { FOLDERS } from "../support/database";
import { lookInto } from "../support/faults";
import { type MockServer, startMockServer } from "../support/mock-server";
import { addPeople } from "../support/people";
import { TestServer } from "../support/server";

const folders: string[] = [];
let receiver: MockServer | undefined;
let running: TestServer | undefined;
const newFolder = () => {
  const folder = mkdtempSync(join(resolve(FOLDERS), "quarterdeck-standby-"));
  folders.push(folder);
  return folder;
};
afterEach(async () => {
  await running?.kill();
  await receiver?.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function ask<T>(server: TestServer, path: string, json: object, method = "POST"): Promise<T> {
  const response = await server.ask(path, { as: "owner", method, json });
  const text = await response.text();
  expect(response.ok, `${path}: ${response.status} ${text}`).toBe(true);
  return JSON.parse(text) as T;
}

type Raw = Parameters<Parameters<typeof lookInto>[1]>[0];

/** What its work leaves in the database. */
const stateOf = (server: TestServer) =>
  lookInto(server, (raw) => ({
    jobs: raw.prepare("SELECT id, kind, state, attempts FROM jobs ORDER BY id").all(),
    runs: raw.prepare("SELECT workflow_id, state FROM workflow_runs ORDER BY id").all(),
    schedules: raw.prepare("SELECT key, next_at FROM schedules ORDER BY key").all(),
    fires: raw.prepare("SELECT count(*) FROM schedule_fires").pluck().get(),
    documents: raw.prepare("SELECT id FROM documents").pluck().all(),
  }));

it("holds a job, a schedule, a delay and what they send until it is taken over", async () => {
  receiver = await startMockServer((_, response) => response.end("{}"));
  const { origin, port, requests } = receiver;
  const former = newFolder();
  const sessions = await addPeople(former);
  const env = { EGRESS_ALLOW: `127.0.0.1:${port}`, LITESTREAM_URL: "file:///nowhere/former" };
  running = new TestServer(former, env, sessions);
  await running.start();
  const send = (path: string) => ({
    ...{ id: "send", type: "http_request" },
    config: { method: "POST", url: `${origin}/${path}` },
  });
  const add = async (name: string, trigger: object, steps: object[]) => {
    const server = running as TestServer;
    const { id } = await ask<{ id: string }>(server, "/api/workflows", { name, triggers: [trigger], steps });
    await ask(server, `/api/workflows/${id}`, { enabled: true }, "PUT");
    return id;
  };
  const pause = { id: "pause", type: "delay", config: { seconds: 86_400 } };
  const delayed = await add("Delayed", { id: "by_hand", type: "manual", config: {} }, [
    pause,
    send("delayed"),
  ]);
  const yearly = { id: "yearly", type: "schedule", config: { cron: "0 0 1 1 *" } };
  const scheduled = await add("Scheduled", yearly, [send("scheduled")]);
  const { id: runId } = await ask<{ id: string }>(running, `/api/workflows/run/${delayed}`, {});
  const isWaiting = (raw: Raw) =>
    raw.prepare("SELECT state FROM workflow_runs WHERE id = ?").pluck().get(runId);
  await expect.poll(() => lookInto(running as TestServer, isWaiting)).toBe("waiting");
  const gone = await ask<{ id?: string; documentId?: string }>(running, "/api/rag/ingest", {
    title: "Gone",
    text: "To be purged.",
  });
  const documentId = gone.documentId ?? gone.id;
  const isReady = (raw: Raw) =>
    raw.prepare("SELECT status FROM documents WHERE id = ?").pluck().get(documentId);
  await expect.poll(() => lookInto(running as TestServer, isReady)).toBe("ready");
  const removed = await running.ask(`/api/rag/documents/${documentId}`, {
    method: "DELETE",
    as: "owner",
  });
  expect(removed.ok).toBe(true);
  await running.kill();

  const folder = newFolder();
  cpSync(former, folder, { recursive: true });
  running = new TestServer(folder, { ...env, STANDBY: "1", LITESTREAM_URL: "file:///nowhere/own" }, sessions);
  // All of it was due a minute ago.
  const due = Date.now() - 60_000;
  lookInto(running, (raw) => {
    const counts = [
      raw
        .prepare(
          "UPDATE jobs SET run_at = ? WHERE state = 'scheduled' AND kind IN ('workflows.resume', 'documents.sweep')",
        )
        .run(due),
      raw
        .prepare("UPDATE schedules SET next_at = ? WHERE kind = 'workflows.due' AND key LIKE ?")
        .run(due, `%${scheduled}%`),
      raw.prepare("UPDATE documents SET deleted_at = 1 WHERE id = ?").run(documentId),
      raw.prepare(`UPDATE workflow_run_steps SET input = '{"seconds":1}', started_at = ?`).run(due),
    ];
    expect(counts.map(({ changes }) => changes)).toEqual([2, 1, 1, 1]);
  });
  const before = stateOf(running);
  await running.start();
  for (const path of ["/", "/workflows", "/rag", "/settings/system", "/standby", "/api/runs", "/metrics"])
    await (await running.ask(path, { as: "owner" })).text();
  const ready = await running.ask("/readyz");
  expect([ready.status, await ready.json()]).toEqual([
    503,
    expect.objectContaining({ checks: expect.objectContaining({ standby: "held" }) }),
  ]);
  expect((await running.ask(`/api/workflows/run/${delayed}`, { as: "owner", json: {} })).status).toBe(503);
  expect([requests, stateOf(running)]).toEqual([[], before]);

  const taken = await running.ask("/api/system/take-over", { method: "POST", as: "owner" });
  expect(taken.status).toBe(202);
  await expect.poll(() => requests.map(({ url }) => url).sort()).toEqual(["/delayed", "/scheduled"]);
  const sent = requests.find(({ url }) => url === "/delayed");
  expect(sent?.headers["idempotency-key"]).toContain(runId);
  const left = () => stateOf(running as TestServer).documents;
  await expect.poll(left).not.toContain(documentId);
});
