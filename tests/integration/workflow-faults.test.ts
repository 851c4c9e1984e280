import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { rawDatabase } from "~/core/db.server";
import { createWorkflow } from "~/work/workflows/workflows.service.server";
import { openTestDatabase } from "../support/database";
import { bundleProgram, lookInto } from "../support/faults";

/** `npm run test:faults` kills a hundred times as often. */
const KILLS = Number(process.env.WORKFLOW_KILLS ?? 2);
/** Several workflows, since ten runs of one go on at once. */
const WORKFLOWS = 5;
/** Triggers that one process accepts. */
const ACCEPTED = 40;
/** Requests of steps after which a process is killed. */
const MIN_REQUESTS = 5;
const MORE_REQUESTS = 60;

let bundle: string;
let folder: string;
let child: ChildProcess | undefined;
let server: Server;

/** Requests by idempotency key, and those whose step the journal had as finished. */
const requests = new Map<string, number>();
const finished = new Set<string>();
const repeated: string[] = [];
let onRequest: () => void = () => undefined;

beforeAll(async () => {
  bundle = await bundleProgram("faulty-workflows");
  folder = mkdtempSync(join(tmpdir(), "quarterdeck-workflow-faults-"));
  server = createServer((request, response) => {
    const key = String(request.headers["idempotency-key"]);
    requests.set(key, (requests.get(key) ?? 0) + 1);
    if (finished.has(key)) repeated.push(key);
    request.resume();
    // Half of the kills come before the answer, half behind it.
    if (Math.random() < 0.5) onRequest();
    response.setHeader("Content-Type", "application/json");
    response.end('{"ok":true}', () => onRequest());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => {
  child?.kill("SIGKILL");
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

function createWorkflows(): string[] {
  const test = openTestDatabase();
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/{{ trigger.n }}`;
    const post = (id: string) => ({ id, type: "http_request", config: { method: "POST", url, body: "{}" } });
    const ids = Array.from(
      { length: WORKFLOWS },
      (_, index) =>
        createWorkflow(test.actors.member, {
          name: `Workflow ${index}`,
          description: "",
          triggers: [{ id: "manual_1", type: "manual" }],
          steps: [
            post("first"),
            { id: "between", type: "log", config: { message: "{{ trigger.n }}" } },
            { id: "fork", type: "parallel", config: { bodySteps: 2 } },
            post("second"),
            post("third"),
            { id: "end", type: "return", config: { value: "{{ trigger.n }}" } },
          ],
          connections: [],
        }).id,
    );
    rawDatabase().pragma("wal_checkpoint(TRUNCATE)");
    rawDatabase().exec(`VACUUM INTO '${join(folder, "quarterdeck.sqlite")}'`);
    return ids;
  } finally {
    test.close();
  }
}

interface Life {
  /** The runs that were acknowledged, by the number of their trigger. */
  accepted: Map<number, string>;
  isDone: boolean;
}

/** Runs the engine with more triggers until so many requests have come, and kills it. */
async function live(from: number, to: number, kill: number, workflows: string[]): Promise<Life> {
  const running = spawn(process.execPath, [bundle, folder, String(from), String(to), ...workflows], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  child = running;
  const exit = once(running, "exit");
  let remaining = kill;
  onRequest = () => {
    remaining -= 1;
    if (remaining <= 0) running.kill("SIGKILL");
  };
  let printed = "";
  for await (const chunk of running.stdout) {
    printed += String(chunk);
    if (printed.includes("done")) break;
  }
  running.kill("SIGKILL");
  await exit;
  const lines = printed.split("\n").slice(0, -1);
  const accepted = lines.filter((line) => line !== "done").map((line) => line.split(" "));
  return {
    accepted: new Map(accepted.map(([n, id]) => [Number(n), id ?? ""])),
    isDone: lines.includes("done"),
  };
}

it(
  `loses no accepted trigger and repeats no finished step, over ${KILLS} kills`,
  async () => {
    const workflows = createWorkflows();
    const accepted = new Map<number, string>();
    let kills = 0;
    let from = 0;
    while (kills < KILLS) {
      const after = MIN_REQUESTS + Math.floor(Math.random() * MORE_REQUESTS);
      const life = await live(from, from + ACCEPTED, after, workflows);
      for (const [n, id] of life.accepted) accepted.set(n, id);
      if (!life.isDone) kills += 1;
      // Those that weren't acknowledged are sent again under the same key, as a caller does.
      from = Math.max(0, ...accepted.keys()) + 1;
      while (from > 0 && !accepted.has(from - 1)) from -= 1;
      lookInto({ dataDir: folder }, (raw) => {
        const keys = raw
          .prepare("SELECT run_id || ':' || key FROM workflow_run_steps WHERE state = 'succeeded'")
          .pluck()
          .all() as string[];
        for (const key of keys) finished.add(key);
        const started = new Set(
          raw.prepare("SELECT run_id || ':' || key FROM workflow_run_steps").pluck().all(),
        );
        expect([...requests.keys()].filter((key) => !started.has(key))).toEqual([]);
      });
    }
    const last = await live(from, from, Number.POSITIVE_INFINITY, workflows);
    expect(last.isDone).toBe(true);
    expect(repeated).toEqual([]);
    lookInto({ dataDir: folder }, (raw) => {
      const ids = new Set(raw.prepare("SELECT id FROM workflow_runs").pluck().all());
      expect([...accepted.values()].filter((id) => !ids.has(id))).toEqual([]);
      expect(
        raw.prepare("SELECT state, error, count(*) FROM workflow_runs GROUP BY 1, 2").raw().all(),
      ).toEqual([["succeeded", null, ids.size]]);
      expect(
        raw
          .prepare("SELECT key, state, count(*) FROM workflow_run_steps GROUP BY 1, 2 ORDER BY 1")
          .raw()
          .all(),
      ).toEqual(
        ["between", "end", "first", "fork", "second", "third"].map((key) => [key, "succeeded", ids.size]),
      );
      // Each attempt has the key of its step: a repetition of one that was cut off is the same request.
      expect(requests.size).toBe(ids.size * 3);
      const cut = [...requests.values()].filter((times) => times > 1).length;
      // For the documentation, when it is run by itself.
      if (process.env.FAULT_REPORT)
        writeFileSync(
          process.env.FAULT_REPORT,
          `${kills} kills, ${accepted.size} triggers acknowledged, ${requests.size} requests, ${cut} repeated\n`,
        );
    });
  },
  60_000 + KILLS * 10_000,
);
