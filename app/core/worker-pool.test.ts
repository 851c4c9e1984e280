import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { setEnv } from "./env.server";
import { closeWorkerPools, WorkerPool, type WorkerPoolSettings } from "./worker-pool.server";

const ENTRY = `
import { writeFileSync } from "node:fs";
import { parentPort, threadId, workerData } from "node:worker_threads";
parentPort.on("message", (task) => {
  if (task.file) writeFileSync(task.file, "");
  if (task.do === "exit") process.exit(3);
  if (task.do === "throw") throw new Error("out of order");
  if (task.do === "spin") for (;;);
  if (task.do === "fill") { const kept = []; for (;;) kept.push(new Array(100000).fill(kept.length)); }
  if (task.do === "refuse") return parentPort.postMessage({ ok: false, code: "invalid", message: "not this one" });
  if (task.do === "fail") return parentPort.postMessage({ ok: false, code: "internal", message: "no such table: x" });
  if (task.do === "babble") return parentPort.postMessage("what?");
  if (task.do === "rank") return parentPort.postMessage({ ok: true, output: workerData.isBackground ? 2 : 1 });
  if (task.do === "env") return parentPort.postMessage({ ok: true, output: Object.keys(process.env).length });
  parentPort.postMessage({ ok: true, output: task.do === "thread" ? threadId : task.value });
});`;

let folder: string;

function makePool(
  settings: Partial<WorkerPoolSettings<number>> = {},
): WorkerPool<{ do: string; value?: unknown; file?: string }, number> {
  const entry = join(folder, "worker.mjs");
  return new WorkerPool({
    name: "test",
    entry,
    output: z.number(),
    size: 1,
    timeoutMs: 5000,
    maxHeapMb: 64,
    ...settings,
  });
}

beforeEach(() => {
  setEnv({ LOG_LEVEL: "silent" });
  folder = mkdtempSync(join(tmpdir(), "quarterdeck-"));
  writeFileSync(join(folder, "worker.mjs"), ENTRY);
});

afterEach(async () => {
  vi.useRealTimers();
  await closeWorkerPools();
  rmSync(folder, { recursive: true, force: true });
  setEnv(undefined);
});

describe("a worker pool", () => {
  it("starts the threads of background work as such", async () => {
    expect(await makePool().run({ do: "rank" })).toBe(1);
    expect(await makePool({ isBackground: true }).run({ do: "rank" })).toBe(2);
  });

  it("runs tasks in order on a thread that is kept", async () => {
    const pool = makePool();
    const answers = await Promise.all([1, 2, 3].map((value) => pool.run({ do: "echo", value })));
    expect(answers).toEqual([1, 2, 3]);
    expect(await pool.run({ do: "thread" })).toBe(await pool.run({ do: "thread" }));
  });

  it("uses several threads at once, and no more than allowed", async () => {
    const pool = makePool({ size: 2 });
    const threads = await Promise.all(Array.from({ length: 6 }, () => pool.run({ do: "thread" })));
    expect(new Set(threads).size).toBe(2);
  });

  it("starts threads without environment variables", async () => {
    expect(await makePool().run({ do: "env" })).toBe(0);
  });

  it("ends a task that takes too long and continues with the next", async () => {
    const pool = makePool();
    const begun = join(folder, "begun");
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const spinning = pool.run({ do: "spin", file: begun });
    spinning.catch(() => undefined);
    const next = pool.run({ do: "echo", value: 7 });
    await expect.poll(() => existsSync(begun)).toBe(true);
    await vi.advanceTimersByTimeAsync(5000);
    await expect(spinning).rejects.toMatchObject({
      code: "unavailable",
      message: "Processing took longer than 5 seconds.",
    });
    expect(await next).toBe(7);
  });

  it("ends a task that takes too much memory", async () => {
    const pool = makePool({ maxHeapMb: 16, timeoutMs: 20_000, tooLarge: "Cut it in two." });
    await expect(pool.run({ do: "fill" })).rejects.toMatchObject({
      message: "Cut it in two.",
    });
    expect(await pool.run({ do: "echo", value: 1 })).toBe(1);
  });

  it.each(["exit", "throw"])("replaces a thread that dies by %s", async (how) => {
    const pool = makePool();
    await expect(pool.run({ do: how })).rejects.toMatchObject({ code: "unavailable" });
    expect(await pool.run({ do: "echo", value: 1 })).toBe(1);
  });

  it("passes on refusals and rejects unknown answers", async () => {
    const pool = makePool();
    await expect(pool.run({ do: "refuse" })).rejects.toMatchObject({
      code: "invalid",
      message: "not this one",
    });
    await expect(pool.run({ do: "fail" })).rejects.toMatchObject({
      code: "internal",
      message: "Processing failed.",
    });
    await expect(pool.run({ do: "babble" })).rejects.toMatchObject({ code: "internal" });
    await expect(pool.run({ do: "echo", value: "text" })).rejects.toThrow();
  });

  it("obeys a signal, running or waiting", async () => {
    const pool = makePool();
    const running = new AbortController();
    const waiting = new AbortController();
    const first = pool.run({ do: "spin" }, running.signal);
    const second = pool.run({ do: "echo", value: 2 }, waiting.signal);
    waiting.abort(new Error("not needed"));
    running.abort(new Error("stopped"));
    await expect(first).rejects.toThrow("stopped");
    await expect(second).rejects.toThrow("not needed");
    expect(await pool.run({ do: "echo", value: 3 })).toBe(3);
  });

  it("refuses more than may wait", async () => {
    const pool = makePool({ maxQueue: 1 });
    const running = pool.run({ do: "spin" });
    const waiting = pool.run({ do: "echo", value: 1 });
    await expect(pool.run({ do: "echo", value: 2 })).rejects.toMatchObject({ code: "unavailable" });
    await Promise.all([
      expect(running).rejects.toThrow("stopping"),
      expect(waiting).rejects.toThrow("stopping"),
      pool.close(),
    ]);
  });
});
