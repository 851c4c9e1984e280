import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { setClock } from "~/core/clock.server";
import { db, rawDatabase, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { updateOrganisation } from "~/team/organization/organization.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { startJobs } from "./dispatcher.service.server";
import { enqueue } from "./enqueue.service.server";
import {
  type DeclaredJob,
  defineJob,
  type JobChange,
  type JobContext,
  type JobKind,
  onJobChanged,
  wakeDispatcher,
} from "./job-kind.service.server";
import { queueJobs } from "./jobs.jobs.server";
import { findJob } from "./jobs.repo.server";
import { cancelJob, listJobKinds, listJobPage, retryJob } from "./jobs.service.server";

const Input = z.object({ name: z.string() });
type Context = JobContext<z.infer<typeof Input>>;
type NamedKind = JobKind & DeclaredJob<typeof Input>;

let test: ReturnType<typeof openTestDatabase>;
let stop: () => Promise<void> = async () => undefined;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(async () => {
  await stop();
  setClock();
  test.close();
});

function kindOf(run: (context: Context) => void | Promise<void>, more: Partial<NamedKind> = {}) {
  return {
    ...defineJob({
      kind: "test.work",
      title: "Work",
      input: Input,
      lane: "interactive",
      timeoutMs: 60_000,
      run,
    }),
    ...more,
  } as NamedKind;
}

/** Resolves when a job is in a state. */
function reaches(id: string, state: string): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (findJob(db(), id)?.state !== state) return;
      stopListening();
      resolve();
    };
    const stopListening = onJobChanged(check);
    check();
  });
}

const add = (kind: NamedKind, name: string, options: Parameters<typeof enqueue>[3] = {}) =>
  transaction((tx) => enqueue(tx, kind, { name }, options));
const stateOf = (id: string) => findJob(db(), id)?.state;
const states = (kind: string) =>
  rawDatabase().prepare("SELECT DISTINCT state FROM jobs WHERE kind = ?").pluck().all(kind);

describe("a job", () => {
  it("runs after the commit that added it, and ends with it", async () => {
    const seen: string[] = [];
    const kind = kindOf(({ input }) => void seen.push(input.name));
    stop = startJobs([kind]);
    const id = add(kind, "one");
    expect(seen).toEqual([]);
    await reaches(id, "succeeded");
    expect(seen).toEqual(["one"]);
    expect(findJob(db(), id)).toMatchObject({ attempts: 0, error: null, keepUntil: expect.any(Number) });
  });

  it("doesn't exist when its transaction is rolled back", async () => {
    const seen: string[] = [];
    const kind = kindOf(({ input }) => void seen.push(input.name));
    stop = startJobs([kind]);
    expect(() =>
      transaction((tx) => {
        enqueue(tx, kind, { name: "lost" });
        throw new Error("rolled back");
      }),
    ).toThrow("rolled back");
    await reaches(add(kind, "kept"), "succeeded");
    expect(seen).toEqual(["kept"]);
  });

  it("is refused if its input is invalid", () => {
    const kind = kindOf(() => undefined);
    expect(() => add(kind, 1 as unknown as string)).toThrow();
  });

  it("is queued once per dedupe key until it finishes", async () => {
    const kind = kindOf(() => undefined);
    const first = add(kind, "a", { dedupeKey: "k" });
    expect(add(kind, "b", { dedupeKey: "k" })).toBe(first);
    stop = startJobs([kind]);
    await reaches(first, "succeeded");
    expect(add(kind, "c", { dedupeKey: "k" })).not.toBe(first);
  });

  it("isn't run before its due time", async () => {
    let at = Date.now();
    setClock(() => at);
    const kind = kindOf(() => undefined);
    stop = startJobs([kind]);
    const later = add(kind, "later", { runAt: at + 3_600_000 });
    await reaches(add(kind, "now"), "succeeded");
    expect(stateOf(later)).toBe("scheduled");
    at += 3_600_000;
    add(kind, "wake");
    await reaches(later, "succeeded");
  });

  it("runs with its author's current role", async () => {
    const roles: string[] = [];
    const kind = kindOf(({ actor }) => void roles.push(actor().role, actor().address ?? ""));
    const author = { ...test.actors.admin, address: "192.0.2.7" };
    const first = add(kind, "a", { actor: author });
    rawDatabase().prepare("UPDATE users SET role = 'viewer' WHERE id = ?").run(author.userId);
    stop = startJobs([kind]);
    await reaches(first, "succeeded");
    expect(roles).toEqual(["viewer", "192.0.2.7"]);
    rawDatabase().prepare("UPDATE users SET status = 'removed' WHERE id = ?").run(author.userId);
    const second = add(kind, "b", { actor: author });
    await reaches(second, "failed");
    expect(findJob(db(), second)?.error).toBe("Your access has ended. Ask an admin to restore it.");
  });
});

describe("a failing job", () => {
  const offline = () => {
    throw new AppError("provider_unavailable", "The provider is offline.");
  };

  it("is retried after its backoff, and fails with the reason after its last attempt", async () => {
    let at = Date.now();
    setClock(() => at);
    const changes: [unknown, JobChange][] = [];
    const kind = kindOf(offline, {
      retry: { attempts: 2, backoffMs: [5000] },
      onChange: (_tx, { input }, change) => void changes.push([input, change]),
    });
    stop = startJobs([kind]);
    const id = add(kind, "a");
    await reaches(id, "scheduled");
    expect(findJob(db(), id)).toMatchObject({
      attempts: 1,
      runAt: at + 5000,
      error: "The provider is offline.",
    });
    const queued = { state: "queued", attempts: 1, runAt: at + 5000, error: "The provider is offline." };
    const own = () =>
      changes.filter(([input]) => (input as { name: string }).name === "a").map(([, change]) => change);
    expect(own()).toEqual([{ state: "running" }, queued]);
    at += 5000;
    add(kind, "wake");
    await reaches(id, "failed");
    expect(findJob(db(), id)).toMatchObject({ attempts: 2, error: "The provider is offline." });
    const failed = { state: "failed", error: "The provider is offline.", code: "provider_unavailable" };
    expect(own().slice(2)).toEqual([{ state: "running" }, failed]);
  });

  it("isn't retried after a permanent error", async () => {
    const kind = kindOf(
      () => {
        throw new AppError("invalid", "No.");
      },
      { retry: { attempts: 5, backoffMs: [0] } },
    );
    stop = startJobs([kind]);
    const id = add(kind, "a");
    await reaches(id, "failed");
    expect(findJob(db(), id)?.attempts).toBe(1);
  });

  it("is retried by admins only, and audited", async () => {
    let broken = true;
    const kind = kindOf(() => {
      if (broken) offline();
    });
    stop = startJobs([kind]);
    const id = add(kind, "a", { actor: test.actors.member });
    await reaches(id, "failed");
    expect(() => retryJob(test.actors.member, id)).toThrow(/Only admins/);
    broken = false;
    expect(retryJob(test.actors.admin, id)).toMatchObject({ state: "queued", attempts: 0, title: "Work" });
    await reaches(id, "succeeded");
    expect(() => retryJob(test.actors.admin, id)).toThrow("Only a failed job can be retried.");
    const audited = rawDatabase().prepare("SELECT action, resource FROM audit_entries").all();
    expect(audited).toEqual([{ action: "job.retried", resource: `job:${id}` }]);
  });
});

describe("cancelling", () => {
  it("aborts the job's signal, and the job stays cancelled", async () => {
    let begun = () => {};
    const started = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const kind = kindOf(
      ({ signal }) =>
        new Promise((_, reject) => {
          begun();
          signal.addEventListener("abort", () => reject(signal.reason));
        }),
    );
    stop = startJobs([kind]);
    const id = add(kind, "a");
    await started;
    expect(cancelJob(test.actors.admin, id).state).toBe("cancelled");
    const audited = rawDatabase().prepare("SELECT action, resource FROM audit_entries").all();
    expect(audited).toEqual([{ action: "job.cancelled", resource: `job:${id}` }]);
    await stop();
    expect(stateOf(id)).toBe("cancelled");
  });
});

describe("lanes", () => {
  it("alternate between owners, however many jobs one of them has", async () => {
    const order: string[] = [];
    const kind = kindOf(({ input }) => void order.push(input.name), { concurrency: 1 });
    for (let n = 0; n < 50; n++) add(kind, `many ${n}`, { actor: test.actors.member });
    const last = add(kind, "one", { actor: test.actors.admin });
    stop = startJobs([kind]);
    await reaches(last, "succeeded");
    expect(order.indexOf("one")).toBeLessThan(3);
  });

  it("limit a kind's concurrency without blocking other kinds", async () => {
    let running = 0;
    let max = 0;
    let release = () => {};
    const blocked = new Promise<void>((resolve) => {
      release = resolve;
    });
    const bulk = kindOf(
      async () => {
        running += 1;
        max = Math.max(max, running);
        await blocked;
        running -= 1;
      },
      { kind: "test.bulk", lane: "bulk", concurrency: 1 },
    );
    const quick = kindOf(() => undefined);
    stop = startJobs([bulk, quick]);
    const held1 = add(bulk, "a");
    const held2 = add(bulk, "b");
    await reaches(add(quick, "c"), "succeeded");
    expect([stateOf(held1), stateOf(held2)]).toEqual(["running", "queued"]);
    release();
    await reaches(held2, "succeeded");
    expect(max).toBe(1);
  });
});

describe("after a stop", () => {
  it("resumes from the checkpoint, without counting a failed attempt", async () => {
    const states: unknown[] = [];
    let saved = () => {};
    const isSaved = new Promise<void>((resolve) => {
      saved = resolve;
    });
    const kind = kindOf(({ checkpoint, saveCheckpoint, signal }) => {
      states.push(checkpoint);
      if (checkpoint) return;
      saveCheckpoint({ page: 3 });
      saved();
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    });
    stop = startJobs([kind]);
    const id = add(kind, "a");
    await isSaved;
    await stop();
    expect(findJob(db(), id)).toMatchObject({ state: "queued", attempts: 0 });
    stop = startJobs([kind]);
    await reaches(id, "succeeded");
    expect(states).toEqual([null, { page: 3 }]);
  });

  it("counts crashes, and fails a job that crashes the process each time", async () => {
    const kind = kindOf(() => undefined);
    const id = add(kind, "a");
    const crash = async () => {
      rawDatabase().prepare("UPDATE jobs SET state = 'running' WHERE id = ?").run(id);
      const end = startJobs([]);
      await end();
    };
    for (let n = 1; n < 10; n++) await crash();
    expect(findJob(db(), id)).toMatchObject({ state: "queued", crashes: 9 });
    rawDatabase().prepare("UPDATE jobs SET state = 'running' WHERE id = ?").run(id);
    stop = startJobs([kind]);
    expect(findJob(db(), id)).toMatchObject({
      state: "failed",
      error: "The console stopped during each attempt.",
    });
  });
});

describe("schedules", () => {
  const HOUR = 3_600_000;

  it("fire each due time once across restarts, and missed times once in total", async () => {
    let at = Date.UTC(2026, 0, 1, 0, 0, 1);
    setClock(() => at);
    let runs = 0;
    const kind = kindOf(() => void runs++, { schedule: { everyMs: HOUR, input: { name: "due" } } });
    const restart = async () => {
      await stop();
      stop = startJobs([kind]);
      await reaches(add(kind, "probe"), "succeeded");
      runs -= 1;
    };
    await restart();
    expect(runs).toBe(0);
    at += HOUR;
    await restart();
    await restart();
    await expect.poll(() => runs).toBe(1);
    at += 10 * HOUR;
    await restart();
    await expect.poll(() => runs).toBe(2);
    // A clock that is set back neither fires again nor waits for the time it had.
    at -= 5 * HOUR;
    await restart();
    expect(runs).toBe(2);
    const next = rawDatabase().prepare("SELECT next_at FROM schedules").pluck().get() as number;
    expect(next - at).toBeLessThanOrEqual(HOUR);
  });

  it("run once a day at the local hour across daylight saving", async () => {
    let at = Date.UTC(2026, 2, 27, 12);
    setClock(() => at);
    const kind = kindOf(() => undefined, {
      schedule: { cron: "30 2 * * *", timeZone: "Europe/Berlin", input: { name: "due" } },
    });
    const times: string[] = [];
    for (let day = 0; day < 4; day++) {
      stop = startJobs([kind]);
      await reaches(add(kind, "probe"), "succeeded");
      await stop();
      const next = rawDatabase().prepare("SELECT next_at FROM schedules").pluck().get() as number;
      times.push(new Date(next).toISOString());
      at = next;
    }
    // In Berlin 2:00 to 3:00 doesn't exist on March 29, 2026, so the job runs at 3:00.
    expect(times).toEqual([
      "2026-03-28T01:30:00.000Z",
      "2026-03-29T01:00:00.000Z",
      "2026-03-30T00:30:00.000Z",
      "2026-03-31T00:30:00.000Z",
    ]);
  });

  it("default to the organization's time zone and follow its changes", async () => {
    setClock(() => Date.UTC(2026, 0, 1, 12));
    const { owner } = test.actors;
    updateOrganisation(owner, { timeZone: "America/New_York" });
    const kind = kindOf(() => undefined, { schedule: { cron: "0 9 * * *", input: { name: "due" } } });
    stop = startJobs([kind]);
    const next = () =>
      new Date(rawDatabase().prepare("SELECT next_at FROM schedules").pluck().get() as number).toISOString();
    expect(next()).toBe("2026-01-01T14:00:00.000Z");
    updateOrganisation(owner, { timeZone: "Europe/Vienna" });
    await expect.poll(next).toBe("2026-01-02T08:00:00.000Z");
  });

  it("skip a due time while the previous job still runs, and record it", async () => {
    let at = Date.UTC(2026, 0, 1);
    setClock(() => at);
    let release = () => {};
    const blocked = new Promise<void>((resolve) => {
      release = resolve;
    });
    const kind = kindOf(({ input }) => (input.name === "due" ? blocked : undefined), {
      schedule: { everyMs: HOUR, atStart: true, input: { name: "due" } },
    });
    stop = startJobs([kind]);
    await reaches(add(kind, "probe"), "succeeded");
    at += HOUR;
    await reaches(add(kind, "probe"), "succeeded");
    const outcomes = () =>
      rawDatabase().prepare("SELECT outcome FROM schedule_fires ORDER BY due_at").pluck().all();
    await expect.poll(outcomes).toEqual(["queued", "skipped"]);
    release();
  });
});

describe("the sweep", () => {
  it("keeps the newest thousand finished jobs of a kind", async () => {
    const kind = kindOf(() => undefined);
    const insert = rawDatabase().prepare(
      `INSERT INTO jobs (id, kind, lane, owner, state, run_at, input, actor, created_at)
       VALUES (?, 'test.work', 'interactive', 'system', 'failed', 0, '{}', '{}', ?)`,
    );
    transaction(() => {
      for (let n = 0; n < 1203; n++) insert.run(`job_${n}`, n);
    });
    stop = startJobs([kind, ...queueJobs]);
    const remaining = () =>
      rawDatabase().prepare("SELECT count(*), min(created_at) FROM jobs WHERE state = 'failed'");
    await expect.poll(() => remaining().raw().get()).toEqual([1000, 203]);
  });
});

describe("a hook that fails", () => {
  it("fails its job without blocking others", async () => {
    const kind = kindOf(() => undefined, {
      onChange: (_tx, _job, { state }) => {
        if (state === "succeeded") throw new Error("a record of another version");
      },
    });
    const other = kindOf(() => undefined, { kind: "test.other" });
    stop = startJobs([kind, other]);
    const id = add(kind, "a");
    await reaches(id, "failed");
    await reaches(add(other, "b"), "succeeded");
  });
});

describe("a changed system clock", () => {
  it("fires a schedule once per elapsed interval", async () => {
    let at = Date.now();
    setClock(() => at);
    const runs: number[] = [];
    const kind = kindOf(() => void runs.push(at), {
      schedule: { everyMs: 60_000, input: { name: "tick" } },
    });
    stop = startJobs([kind]);
    const nextAt = () => rawDatabase().prepare("SELECT next_at FROM schedules").pluck().get() as number;
    const pass = async (ms: number, runsAfter: number) => {
      at += ms;
      wakeDispatcher();
      await expect.poll(() => runs.length).toBe(runsAfter);
      await expect.poll(() => states("test.work")).toEqual(["succeeded"]);
      await expect.poll(() => nextAt() - at).toBeLessThanOrEqual(60_000);
    };
    const DAY = 24 * 60 * 60_000;
    await pass(60_000, 1);
    // The next time is now a day ahead, so it is planned again from the current time.
    await pass(-DAY, 1);
    await pass(60_000, 2);
    await pass(DAY, 3);
    await pass(60_000, 4);
  });
});

describe("a full disk", () => {
  it("refuses new jobs, and a running job's end is recorded once there is space", async () => {
    let release: () => void = () => undefined;
    const running = new Promise<void>((resolve) => {
      release = resolve;
    });
    rawDatabase().exec("CREATE TABLE bulk (bytes blob)");
    const fill = rawDatabase().prepare("INSERT INTO bulk VALUES (zeroblob(100000))");
    let ends = 0;
    const kind = kindOf(() => running, {
      onChange(_tx, _job, { state }) {
        if (state !== "succeeded") return;
        ends += 1;
        fill.run();
      },
    });
    stop = startJobs([kind]);
    const id = add(kind, "a");
    await reaches(id, "running");
    rawDatabase().exec("PRAGMA max_page_count = 1");
    expect(() =>
      transaction((tx) => {
        enqueue(tx, kind, { name: "b" });
        fill.run();
      }),
    ).toThrow("full");
    release();
    await expect.poll(() => ends).toBe(1);
    expect(stateOf(id)).toBe("running");
    rawDatabase().exec("PRAGMA max_page_count = 1000000");
    await reaches(id, "succeeded");
    expect(ends).toBe(2);
    expect(rawDatabase().prepare("SELECT count(*) FROM bulk").pluck().get()).toBe(1);
  });
});

describe("a database that can't be written", () => {
  it("is tried again after a delay, not with each new job", async () => {
    const errors = vi.spyOn(log, "error").mockReturnValue(undefined);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const kind = kindOf(() => undefined);
      rawDatabase().exec(
        "CREATE TRIGGER broken BEFORE UPDATE ON jobs BEGIN SELECT RAISE(ABORT, 'broken'); END",
      );
      stop = startJobs([kind]);
      const ids = [];
      for (let n = 0; n < 5; n++) {
        ids.push(add(kind, String(n)));
        await new Promise((resolve) => setImmediate(resolve));
      }
      const failures = () => errors.mock.calls.filter(([text]) => text === "failed to read the job queue");
      expect(failures()).toHaveLength(1);
      vi.advanceTimersByTime(5000);
      await new Promise((resolve) => setImmediate(resolve));
      expect(failures()).toHaveLength(2);
      rawDatabase().exec("DROP TRIGGER broken");
      vi.advanceTimersByTime(5000);
      for (const id of ids) await reaches(id, "succeeded");
    } finally {
      vi.useRealTimers();
      errors.mockRestore();
    }
  });
});

describe("the list for admins", () => {
  it("counts each kind and pages its jobs", async () => {
    const kind = kindOf(() => {
      throw new AppError("invalid", "No.");
    });
    stop = startJobs([kind]);
    const ids = ["a", "b", "c"].map((name) => add(kind, name));
    for (const id of ids) await reaches(id, "failed");
    expect(listJobKinds(test.actors.admin)).toEqual([
      { kind: "test.work", title: "Work", waiting: 0, running: 0, failed: 3, every: null },
    ]);
    const first = listJobPage(test.actors.admin, { state: "failed", limit: 2 });
    const second = listJobPage(test.actors.admin, { state: "failed", limit: 2, cursor: first.next });
    expect([...first.jobs, ...second.jobs].map(({ id }) => id).sort()).toEqual([...ids].sort());
    expect(second.next).toBeUndefined();
    expect(() => listJobKinds(test.actors.member)).toThrow(/Only admins/);
  });
});
