import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { rawDatabase } from "~/core/db.server";
import type { WorkflowInput } from "~/work/workflows/workflows.schema";
import { createWorkflow } from "~/work/workflows/workflows.service.server";
import { openTestDatabase } from "../support/database";
import { bundleProgram, lookInto } from "../support/faults";

/**
 * Ends per way, spread evenly over the statements of all six workflows together: more than 2,200, of which even the 200 of
 * `npm run test:faults` are a sample. FAULT_KILLS=2200 takes hours.
 */
const ENDS = Number(process.env.FAULT_KILLS ?? 1);

let bundle: string;
let folder: string;
let server: Server;

/** Requests by idempotency key, and those whose step the journal had as finished. */
const requests = new Map<string, number>();
const finished = new Set<string>();
const repeated: string[] = [];

beforeAll(async () => {
  bundle = await bundleProgram("faulty-decisions");
  folder = mkdtempSync(join(tmpdir(), "quarterdeck-decision-faults-"));
  server = createServer((request, response) => {
    const key = String(request.headers["idempotency-key"]);
    const times = (requests.get(key) ?? 0) + 1;
    requests.set(key, times);
    if (finished.has(key)) repeated.push(key);
    request.resume();
    response.setHeader("Content-Type", "application/json");
    // A flaky step succeeds the third time: after its own retry, and after a person's.
    response.writeHead(request.url === "/flaky" && times < 3 ? 500 : 200).end('{"ok":true}');
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

type Step = NonNullable<WorkflowInput["steps"]>[number];

function createWorkflows(): string[] {
  const test = openTestDatabase();
  try {
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const post = (id: string, path = "/", options = {}): Step => ({
      id,
      type: "http_request",
      config: { method: "POST", url: `${address}${path}`, body: "{}" },
      options,
    });
    const ask = { id: "ask", type: "approval", config: { question: "Go on?" } };
    const pause = (id: string) => ({ id, type: "delay", config: { seconds: 1800 } });
    const make = (steps: Step[], connections: WorkflowInput["connections"] = []) =>
      createWorkflow(test.actors.member, {
        name: "Test",
        description: "",
        triggers: [{ id: "manual_1", type: "manual" }],
        steps,
        connections,
      }).id;
    const either = [
      { from: "ask", to: "after", branch: "approved" },
      { from: "ask", to: "instead", branch: "refused" },
    ];
    const approval = make([ask, post("after"), post("instead")], either);
    const delay = make([post("before"), pause("one"), post("between"), pause("two"), post("after")]);
    const loop = { id: "loop", type: "each", config: { items: "[1, 2, 3]", bodySteps: 2 } };
    const each = make([loop, ask, post("after"), post("end")]);
    const call = { id: "call", type: "call_workflow", config: { workflow: approval, payload: "{}" } };
    const parent = make([call, post("after")]);
    const retry = make([post("before"), post("flaky", "/flaky", { retries: 1, retryDelaySeconds: 1 })]);
    const branches = make(
      [
        { id: "fork", type: "parallel" },
        ask,
        post("after"),
        post("instead"),
        pause("one"),
        post("between"),
        post("beside"),
        post("end"),
      ],
      [
        ...["ask", "one", "beside"].map((to) => ({ from: "fork", to })),
        ...either,
        { from: "one", to: "between" },
        ...["after", "instead", "between", "beside"].map((from) => ({ from, to: "end" })),
      ],
    );
    rawDatabase().pragma("wal_checkpoint(TRUNCATE)");
    rawDatabase().exec(`VACUUM INTO '${join(folder, "quarterdeck.sqlite")}'`);
    return [approval, delay, each, parent, retry, branches];
  } finally {
    test.close();
  }
}

let lives = 0;

/** One process. @returns what it printed, as words */
async function live(nth: number, way: string, workflows: readonly string[]): Promise<string[][]> {
  lives += 1;
  const child = spawn(process.execPath, [bundle, folder, String(lives), String(nth), way, ...workflows], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = once(child, "exit");
  let printed = "";
  for await (const chunk of child.stdout) printed += String(chunk);
  await exit;
  lookInto({ dataDir: folder }, (raw) => {
    const keys = raw
      .prepare("SELECT run_id || ':' || key FROM workflow_run_steps WHERE state = 'succeeded'")
      .pluck()
      .all() as string[];
    for (const key of keys) finished.add(key);
  });
  return printed
    .split("\n")
    .slice(0, -1)
    .map((line) => line.split(" "));
}

const statementsOf = (printed: string[][]) => Number(printed.find(([word]) => word === "done")?.[1]);

it(
  `goes on after each decision, over ${ENDS} kills and ${ENDS} SIGTERMs between two statements`,
  async () => {
    const workflows = createWorkflows();
    const total = statementsOf(await live(0, "kill", workflows));
    expect(total).toBeGreaterThan(100);
    const answers = new Map<string, string>();
    for (const way of ["kill", "term"])
      for (let n = 0; n < ENDS; n++) {
        const nth = 1 + Math.floor(((n + Math.random()) / ENDS) * total);
        const printed = [await live(nth, way, workflows), await live(0, way, [])].flat();
        expect(printed.filter(([word]) => word === "stuck")).toEqual([]);
        expect(printed.at(-1)?.[0]).toBe("done");
        for (const [word, runId, key, approved = ""] of printed)
          if (word === "answered") answers.set(`${runId}:${key}`, approved);
      }
    expect(repeated).toEqual([]);
    lookInto({ dataDir: folder }, (raw) => {
      expect(raw.prepare("SELECT state, count(*) > 0 FROM workflow_runs GROUP BY 1").raw().all()).toEqual([
        ["succeeded", 1],
      ]);
      const given = raw
        .prepare(
          "SELECT run_id || ':' || key, json_extract(output, '$.approved') FROM workflow_run_steps WHERE type = 'approval'",
        )
        .raw()
        .all() as [string, number][];
      const stored = new Map(given.map(([key, approved]) => [key, String(approved === 1)]));
      expect([...answers].filter(([key, approved]) => stored.get(key) !== approved)).toEqual([]);
    });
  },
  60_000 + ENDS * 30_000,
);
