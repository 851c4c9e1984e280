import type { IncomingMessage, ServerResponse } from "node:http";
import { afterEach, beforeEach, expect, it } from "vitest";
import { now, setClock } from "~/core/clock.server";
import { rawDatabase } from "~/core/db.server";
import { HOUR, MINUTE } from "~/core/durations";
import { listAudit } from "~/platform/audit/audit.service.server";
import { startJobs } from "~/platform/jobs/dispatcher.service.server";
import { wakeDispatcher } from "~/platform/jobs/job-kind.service.server";
import { openTestDatabase } from "../../../../tests/support/database";
import { startMockServer } from "../../../../tests/support/mock-server";
import { pageRuns, readRun, startWorkflows } from "../runs.service.server";
import { describeWorkflow } from "../screen.service.server";
import { workflowJobs } from "../workflows.jobs.server";
import { createWorkflow, readWorkflow, updateWorkflow } from "../workflows.service.server";
import { checkNow, listPolls } from "./polls.service.server";

let test: ReturnType<typeof openTestDatabase>;
let stops: (() => Promise<unknown>)[];
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let asked: IncomingMessage["headers"][];
let origin: string;

beforeEach(async () => {
  test = openTestDatabase({ EGRESS_ALLOW: "127.0.0.1" });
  asked = [];
  const server = await startMockServer((request, response) => {
    asked.push(request.headers);
    answer(request, response);
  });
  origin = server.origin;
  stops = [server.close, startWorkflows(), startJobs(workflowJobs)];
});
afterEach(async () => {
  for (const stop of stops.toReversed()) await stop();
  setClock();
  test.close();
});

const entry = (id: string, day: number) =>
  `<item><guid isPermaLink="false">${id}</guid><title>News ${id}</title>` +
  `<pubDate>Sun, ${String(day).padStart(2, "0")} Nov 2026 09:00:00 GMT</pubDate></item>`;
const rss = (...items: string[]) =>
  `<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>${items.join("")}</channel></rss>`;
const serve = (body: string, headers: Record<string, string> = {}) => {
  answer = (request, response) => {
    const isKnown = headers.etag !== undefined && request.headers["if-none-match"] === headers.etag;
    response.writeHead(isKnown ? 304 : 200, { "content-type": "application/rss+xml", ...headers });
    response.end(isKnown ? undefined : body);
  };
};

const watch = (config: Record<string, unknown> = {}) =>
  createWorkflow(test.actors.member, {
    name: "News",
    description: "",
    triggers: [{ type: "feed", id: "feed", config: { url: `${origin}/feed`, ...config } }],
    steps: [{ type: "log", id: "say", config: { message: "{{ trigger.item.title }}" } }],
    connections: [],
  });
const pollOf = (id: string) => listPolls(test.actors.member, id)[0];
const isChecked = (id: string, count: number) =>
  expect.poll(() => [asked.length, pollOf(id)?.checkedAt !== null]).toEqual([count, true]);
/** Titles of the entries that started a run, in this order. */
const started = (id: string) =>
  rawDatabase()
    .prepare("SELECT payload ->> '$.item.title' FROM workflow_runs WHERE workflow_id = ? ORDER BY rowid")
    .pluck()
    .all(id);
/** Once no check is at work: its end plans the next one by the clock. */
const isIdle = () =>
  expect
    .poll(
      () =>
        rawDatabase()
          .prepare(
            "SELECT count(*) FROM jobs WHERE kind = 'workflows.poll' AND state IN ('queued', 'running')",
          )
          .pluck()
          .get(),
      { timeout: 60_000 },
    )
    .toBe(0);
async function later(ms: number) {
  await isIdle();
  const at = now() + ms;
  setClock(() => at);
  wakeDispatcher();
}

it("starts nothing at the first check, then a run for each new entry, oldest first", async () => {
  serve(rss(entry("b", 2), entry("a", 1)), { etag: '"1"' });
  const { id } = watch({ everyMinutes: 5 });
  await isChecked(id, 1);
  expect(started(id)).toEqual([]);
  await later(5 * MINUTE);
  await isChecked(id, 2);
  expect(asked[1]?.["if-none-match"]).toBe('"1"');
  serve(rss(entry("d", 4), entry("c", 3), entry("b", 2)), { etag: '"2"' });
  await later(5 * MINUTE);
  await expect.poll(() => started(id)).toEqual(["News c", "News d"]);
  const runs = pageRuns(test.actors.member, { workflow: id, limit: 5 }).runs;
  expect(runs.map((run) => readRun(test.actors.member, run.id))).toContainEqual(
    expect.objectContaining({
      trigger: expect.objectContaining({ type: "feed" }),
      payload: {
        feed: { title: "News", url: `${origin}/feed` },
        item: expect.objectContaining({ id: "d", published: "2026-11-04T09:00:00.000Z" }),
      },
    }),
  );
});

it("starts with the newest entry if it is to, and again with what is new once the address changes", async () => {
  serve(rss(entry("a", 1), entry("b", 2)));
  const { id, triggers } = watch({ first: "newest" });
  await expect.poll(() => started(id)).toEqual(["News b"]);
  const moved = triggers.map((one) => ({ ...one, config: { ...one.config, url: `${origin}/other` } }));
  updateWorkflow(test.actors.member, id, { triggers: moved });
  await isChecked(id, 2);
  expect(started(id)).toEqual(["News b"]);
  updateWorkflow(test.actors.member, id, { enabled: false });
  expect(listPolls(test.actors.member, id)).toEqual([]);
});

it("starts nothing for a trigger that is changed or turned off while it is checked", async () => {
  serve(rss(entry("a", 1)));
  const { id, triggers } = watch({ first: "newest" });
  await expect.poll(() => started(id)).toEqual(["News a"]);
  const changes = [
    { triggers: triggers.map((one) => ({ ...one, config: { url: `${origin}/other` } })) },
    { enabled: false },
  ];
  for (const change of changes) {
    const before = asked.length;
    let held: ServerResponse | undefined;
    answer = (_, response) => {
      held ??= response;
      if (held !== response) response.end(rss(entry("a", 1)));
    };
    checkNow(test.actors.member, id, "feed");
    await expect.poll(() => held).toBeDefined();
    updateWorkflow(test.actors.member, id, change);
    held?.end(rss(entry("b", 2), entry("a", 1)));
    if (!("enabled" in change)) await isChecked(id, before + 2);
    await isIdle();
  }
  expect(started(id)).toEqual(["News a"]);
});

it("starts at most twenty at a check and sixty in an hour, and the others later", async () => {
  serve(rss(), { etag: '"0"' });
  const { id } = watch({ everyMinutes: 5 });
  await isChecked(id, 1);
  const many = Array.from({ length: 90 }, (_, n) => entry(String(n), 1));
  serve(rss(...many), { etag: '"1"' });
  const count = () => started(id).length;
  for (const expected of [20, 40, 60]) {
    await later(5 * MINUTE);
    await expect.poll(count).toBe(expected);
  }
  const before = asked.length;
  await later(5 * MINUTE);
  await expect.poll(() => Date.parse(pollOf(id)?.nextAt ?? "")).toBeGreaterThan(now());
  expect([count(), asked.length]).toEqual([60, before]);
  await later(HOUR);
  await expect.poll(count).toBe(80);
  expect(new Set(started(id)).size).toBe(80);
});

it("says why a check failed, waits longer each time, and as long as the server asks", async () => {
  answer = (_, response) => response.writeHead(500).end();
  const { id } = watch({ everyMinutes: 60 });
  const host = new URL(origin).host;
  await expect.poll(() => pollOf(id)?.error).toBe(`${host} returned HTTP 500.`);
  expect(pollOf(id)).toMatchObject({ checkedAt: null, failedAt: expect.any(String) });
  expect(Date.parse(pollOf(id)?.nextAt ?? "") - now()).toBeGreaterThan(119 * MINUTE);
  answer = (_, response) => response.writeHead(503, { "retry-after": String(30 * 3600) }).end();
  await later(2 * HOUR);
  await expect.poll(() => pollOf(id)?.failures).toBe(2);
  expect(Date.parse(pollOf(id)?.nextAt ?? "") - now()).toBeGreaterThan(29 * HOUR);
  serve("<html><body>Not a feed</body></html>");
  checkNow(test.actors.member, id, "feed");
  await expect.poll(() => pollOf(id)?.error).toMatch(/^This isn't an RSS/);
  serve(rss(entry("a", 1)));
  checkNow(test.actors.member, id, "feed");
  await expect.poll(() => pollOf(id)).toMatchObject({ error: null, failures: 0, failedAt: null });
  const [entries] = [listAudit(test.actors.owner, { limit: 20 } as never).entries];
  expect(entries.filter(({ action }) => action === "workflow.trigger_checked")).toHaveLength(2);
});

it("says in the list that checks fail, to viewers without the reason, and tells the third failure in a row", async () => {
  answer = (_, response) => response.writeHead(500).end();
  const { id } = watch();
  const told = () =>
    rawDatabase()
      .prepare("SELECT DISTINCT title, body, link FROM notifications WHERE event = 'run.failed'")
      .all();
  const listed = (actor = test.actors.member) => describeWorkflow(actor, readWorkflow(actor, id)).failing;
  for (const failures of [1, 2, 3, 4]) {
    await expect.poll(() => pollOf(id)?.failures).toBe(failures);
    expect(told()).toHaveLength(failures < 3 ? 0 : 1);
    checkNow(test.actors.member, id, "feed");
  }
  const reason = `${new URL(origin).host} returned HTTP 500.`;
  expect(told()).toEqual([
    { title: "A trigger of News failed 3 checks in a row", body: reason, link: `/workflows/${id}` },
  ]);
  expect(listed()).toEqual([`The last check of its Feed Trigger failed: ${reason}`]);
  expect(listed(test.actors.viewer)).toEqual(["The last check of its Feed Trigger failed."]);
  serve(rss(entry("a", 1)));
  checkNow(test.actors.member, id, "feed");
  await expect.poll(() => listed()).toEqual([]);
});

it("reaches no private address, and refuses those who may not change workflows", async () => {
  const { id } = watch({ url: "http://10.0.0.1/feed" });
  await expect.poll(() => pollOf(id)?.error).toMatch(/10\.0\.0\.1/);
  expect(() => listPolls(test.actors.viewer, id)).toThrow();
  expect(() => checkNow(test.actors.viewer, id, "feed")).toThrow();
  rawDatabase().prepare("UPDATE workflows SET runs_as = 'usr_gone'").run();
  checkNow(test.actors.member, id, "feed");
  const paused = () => rawDatabase().prepare("SELECT paused_reason FROM workflows").pluck().get();
  await expect.poll(paused).toMatch(/has left/);
});
