import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { z } from "zod";
import { db, openConnection, setDatabase, transaction } from "~/core/db.server";
import { setEnv } from "~/core/env.server";
import { startJobs } from "~/platform/jobs/dispatcher.service.server";
import { enqueue } from "~/platform/jobs/enqueue.service.server";
import { defineJob, onJobChanged } from "~/platform/jobs/job-kind.service.server";

// A process with only the job queue, to be killed. Prints a dot per change and "done" at the end; effects are in table
// `effects`.

const STEPS = 5;
const TICK_MS = 20;

const [folder = "", jobs = ""] = process.argv.slice(2);
setEnv({ NODE_ENV: "test", LOG_LEVEL: "silent", DATA_DIR: folder });
setDatabase(openConnection(join(folder, "quarterdeck.sqlite")));

const effect = (jobId: string, step: string) =>
  db().run(sql`INSERT INTO effects (job_id, step) VALUES (${jobId}, ${step})`);
const Name = z.object({ name: z.string() });

/** At least once: its effect is a separate commit. */
const repeatable = defineJob({
  kind: "test.repeatable",
  title: "Repeatable",
  input: Name,
  lane: "interactive",
  timeoutMs: 60_000,
  async run({ jobId }) {
    await turn();
    transaction(() => effect(jobId, "ran"));
    await turn();
  },
});

/** Exactly once: its effect ends the job. */
const once = defineJob({
  kind: "test.once",
  title: "Once",
  input: Name,
  lane: "bulk",
  timeoutMs: 60_000,
  run: () => turn(),
  onChange(_tx, { id }, { state }) {
    if (state === "succeeded") effect(id, "ended");
  },
});

/** Exactly once per step: effect and checkpoint share a commit. */
const stepwise = defineJob({
  kind: "test.stepwise",
  title: "Stepwise",
  input: Name,
  lane: "bulk",
  timeoutMs: 60_000,
  async run({ jobId, checkpoint, saveCheckpoint }) {
    for (let step = z.number().catch(0).parse(checkpoint); step < STEPS; step++) {
      await turn();
      transaction(() => {
        effect(jobId, `step ${step}`);
        saveCheckpoint(step + 1);
      });
    }
  },
});

/** Once per due time. */
const ticking = defineJob({
  kind: "test.ticking",
  title: "Ticking",
  input: z.object({}),
  lane: "maintenance",
  timeoutMs: 60_000,
  schedule: { everyMs: TICK_MS, input: {} },
  run: () => undefined,
});

const count = (statement: ReturnType<typeof sql>) => db().get<{ n: number }>(statement).n;
const unfinished = () =>
  count(
    sql`SELECT count(*) n FROM jobs WHERE kind <> 'test.ticking' AND state NOT IN ('succeeded', 'failed')`,
  );

transaction((tx) => {
  if (count(sql`SELECT count(*) n FROM jobs WHERE kind <> 'test.ticking'`) > 0) return;
  const kinds = [repeatable, once, stepwise];
  for (let n = 0; n < Number(jobs); n++) {
    const kind = kinds[n % kinds.length];
    if (kind) enqueue(tx, kind, { name: String(n) }, { orgId: "org_test" });
  }
});
onJobChanged(() => {
  process.stdout.write(unfinished() === 0 ? "done\n" : ".");
});
startJobs([repeatable, once, stepwise, ticking]);
// The dispatcher's timers don't keep the process alive.
setInterval(() => undefined, 2 ** 30);
