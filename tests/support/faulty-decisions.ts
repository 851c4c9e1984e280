import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import type { Actor } from "~/core/actor";
import { setClock } from "~/core/clock.server";
import { closeDatabase, openConnection, setDatabase } from "~/core/db.server";
import { HOUR } from "~/core/durations";
import { setEnv } from "~/core/env.server";
import { startJobs } from "~/platform/jobs/dispatcher.service.server";
import { wakeDispatcher } from "~/platform/jobs/job-kind.service.server";
import { RunQuery } from "~/work/workflows/runs.schema";
import {
  answerStep,
  pageRuns,
  readRun,
  retryRun,
  runWorkflow,
  startWorkflows,
} from "~/work/workflows/runs.service.server";
import { workflowJobs } from "~/work/workflows/workflows.jobs.server";

// A process with the workflow engine and the job queue that starts a run per workflow, answers what waits, lets delays
// elapse and retries what failed. It ends itself before its nth statement, by SIGKILL, or by SIGTERM and in order. Prints
// acknowledged decisions, and "done" with the number of its statements.

/** Time in which every open run must move on. */
const PATIENCE = 30_000;

const [folder = "", life = "", nth = "", way = "", ...workflowIds] = process.argv.slice(2);
const member: Actor = { kind: "user", userId: "usr_member", orgId: "org_test", role: "member" };

// Each life begins after the end of the one before.
let skew = Number(life) * 1000 * HOUR;
setClock(() => Date.now() + skew);
setEnv({ NODE_ENV: "test", LOG_LEVEL: "silent", DATA_DIR: folder, EGRESS_ALLOW: "127.0.0.1" });
const raw = openConnection(join(folder, "quarterdeck.sqlite"));

let statements = 0;
let stops: (() => Promise<void>)[] = [];

function countStatement(): void {
  statements += 1;
  if (statements !== Number(nth)) return;
  process.kill(process.pid, way === "kill" ? "SIGKILL" : "SIGTERM");
}

async function endInOrder(): Promise<void> {
  await Promise.all(stops.map((stop) => stop()));
  closeDatabase();
  process.exit(0);
}

process.once("SIGTERM", () => void endInOrder());

function counted<A extends unknown[], R>(call: (...args: A) => R) {
  return function (this: unknown, ...args: A): R {
    countStatement();
    return call.apply(this, args);
  };
}

raw.exec = counted(raw.exec);
const statement = Object.getPrototypeOf(raw.prepare("SELECT 1"));
for (const method of ["run", "get", "all"]) statement[method] = counted(statement[method]);
setDatabase(raw);
// Without the sweep, which would delete the runs of earlier lives.
stops = [startWorkflows(), startJobs(workflowJobs.filter(({ schedule }) => !schedule))];

const print = (...words: unknown[]) => process.stdout.write(`${words.join(" ")}\n`);
const seen = new Set<string>();
const Asked = z.object({ type: z.literal("approval"), state: z.literal("waiting") });

/** @returns whether the run is open */
function moveOn(runId: string): boolean {
  const { state, steps } = readRun(member, runId);
  if (state === "failed") {
    retryRun(member, runId);
    print("retried", runId);
    return true;
  }
  const isGoingOn = state === "waiting" || state === "running";
  const question = isGoingOn ? steps.find((step) => Asked.safeParse(step).success) : undefined;
  if (question) {
    const approved = Math.random() < 0.5;
    answerStep(member, runId, question.key, approved);
    print("answered", runId, question.key, approved);
  }
  if (state === "waiting" && steps.some((step) => step.type === "delay" && step.state === "waiting")) {
    const woken = `${runId} ${steps.length}`;
    if (!seen.has(woken)) {
      seen.add(woken);
      skew += HOUR;
      wakeDispatcher();
    }
  }
  return state === "queued" || state === "running" || state === "waiting";
}

for (const id of workflowIds) await runWorkflow(member, id, {});
const end = performance.now() + PATIENCE;
for (;;) {
  const open = pageRuns(member, RunQuery.parse({ limit: 100 })).runs.filter(({ id }) => moveOn(id));
  if (open.length === 0) break;
  if (performance.now() > end) {
    print("stuck", JSON.stringify(open.map(({ id, state, stepId }) => [id, state, stepId])));
    process.exit(2);
  }
  await pause(2);
}
print("done", statements);
process.exit(0);
