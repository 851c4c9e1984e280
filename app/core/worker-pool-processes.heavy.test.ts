import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { setEnv } from "./env.server";
import { closeWorkerPools, ProcessPool, type ProcessPoolSettings } from "./worker-pool.server";

const ENTRY = `
import { writeFileSync } from "node:fs";
import { z } from "zod";
import { AppError } from "~/core/errors";
import { serve } from "~/core/serve";
const kept = [];
const hoard = () => { for (;;) kept.push(new Uint8Array(10_000_000).fill(1)); };
serve(z.object({ do: z.string(), value: z.unknown().optional(), file: z.string().optional() }), async (task) => {
  if (task.file) writeFileSync(task.file, "");
  if (task.do === "exit") process.exit(3);
  if (task.do === "spin") for (;;);
  if (task.do === "native") (await import("node:crypto")).pbkdf2Sync("a", "b", 2_000_000_000, 64, "sha512");
  if (task.do === "fill") for (;;) kept.push(new Array(100000).fill(kept.length));
  if (task.do === "hoard") hoard();
  if (task.do === "ask too much") new Uint8Array(2_000_000_000).fill(1);
  if (task.do === "ask a little too much") new Uint8Array(300_000_000);
  if (task.do === "swallow") try { new Uint8Array(2_000_000_000).fill(1); } catch (cause) { throw new Error("damaged", { cause }); }
  if (task.do === "keep") kept.push(new Uint8Array(320_000_000).fill(1));
  if (task.do === "refuse") throw new AppError("invalid", "not this one");
  if (task.do === "fail") throw new Error("no such table: x");
  if (task.do === "babble") process.send("what?");
  if (task.do === "env") return Object.keys(process.env).filter((name) => !/^(?:PWD|SHLVL|_|OLDPWD)$/.test(name)).length;
  return task.do === "pid" ? process.pid : task.value;
});`;

let folder: string;
let entry: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "quarterdeck-"));
  // Beside the bundles, so that it finds the watch thread and its packages.
  entry = resolve(".cache/workers", `test-${process.pid}.mjs`);
  await build({
    stdin: { contents: ENTRY, resolveDir: resolve("."), loader: "ts" },
    outfile: entry,
    alias: { "~": resolve("app") },
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
  });
});
afterAll(() => {
  rmSync(entry, { force: true });
  rmSync(folder, { recursive: true, force: true });
});

beforeEach(() => setEnv({ LOG_LEVEL: "silent" }));
afterEach(async () => {
  vi.useRealTimers();
  await closeWorkerPools();
  setEnv(undefined);
});

const makePool = (settings: Partial<ProcessPoolSettings<number>> = {}) =>
  new ProcessPool<{ do: string; value?: unknown; file?: string }, number>({
    name: "test",
    entry,
    output: z.number(),
    size: 1,
    timeoutMs: 30_000,
    memoryMb: () => 256,
    tooLarge: "Cut it in two.",
    ...settings,
  });

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !existsSync("/proc/self/stat") || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}
const gone = (pid: number) => expect.poll(() => isRunning(pid)).toBe(false);

describe("a process pool", () => {
  it("runs tasks in order in one process", async () => {
    const pool = makePool();
    const answers = await Promise.all([1, 2, 3].map((value) => pool.run({ do: "echo", value })));
    expect(answers).toEqual([1, 2, 3]);
    const pid = await pool.run({ do: "pid" });
    expect(await pool.run({ do: "pid" })).toBe(pid);
    expect(pid).not.toBe(process.pid);
    await pool.close();
    expect(isRunning(pid)).toBe(false);
  });

  it("uses several processes at once, and no more than allowed", async () => {
    const pool = makePool({ size: 2 });
    const pids = await Promise.all(Array.from({ length: 6 }, () => pool.run({ do: "pid" })));
    expect(new Set(pids).size).toBe(2);
  });

  it("runs tasks without the environment", async () => {
    vi.stubEnv("QUARTERDECK_KEY_TEST", "secret");
    expect(await makePool().run({ do: "env" })).toBe(0);
    vi.unstubAllEnvs();
  });

  it.each(["spin", "native"])("kills a task that exceeds its time in a loop (%s)", async (how) => {
    const pool = makePool({ tooLong: "Ask for less." });
    const pid = await pool.run({ do: "pid" });
    const begun = join(folder, `begun-${how}`);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const endless = pool.run({ do: how, file: begun });
    endless.catch(() => undefined);
    const next = pool.run({ do: "echo", value: 7 });
    await expect.poll(() => existsSync(begun)).toBe(true);
    await vi.advanceTimersByTimeAsync(30_000);
    await expect(endless).rejects.toMatchObject({ code: "unavailable", message: "Ask for less." });
    expect(await next).toBe(7);
    await gone(pid);
  });

  it.each(["fill", "hoard", "ask too much", "ask a little too much", "swallow"])(
    "refuses a task that takes too much memory (%s), and this process grows by none of it",
    async (how) => {
      const pool = makePool();
      await pool.run({ do: "echo", value: 1 });
      const before = process.memoryUsage.rss();
      await expect(pool.run({ do: how })).rejects.toMatchObject({
        code: "unavailable",
        message: "Cut it in two.",
      });
      expect(await pool.run({ do: "echo", value: 1 })).toBe(1);
      expect(process.memoryUsage.rss() - before).toBeLessThan(64_000_000);
    },
  );

  it("replaces a process that keeps much memory", async () => {
    const pool = makePool({ memoryMb: () => 512 });
    const pid = await pool.run({ do: "pid" });
    await pool.run({ do: "keep", value: 1 });
    expect(await pool.run({ do: "pid" })).not.toBe(pid);
    await gone(pid);
  });

  it("reports a process that was killed from outside, and continues with another", async () => {
    const pool = makePool();
    const pid = await pool.run({ do: "pid" });
    const spinning = pool.run({ do: "spin" });
    process.kill(pid, "SIGKILL");
    await expect(spinning).rejects.toMatchObject({
      code: "unavailable",
      message: "The worker process was killed. Try again.",
    });
    expect(await pool.run({ do: "echo", value: 1 })).toBe(1);
  });

  it("replaces one that exits, and distrusts an answer it doesn't know", async () => {
    const pool = makePool();
    await expect(pool.run({ do: "exit" })).rejects.toMatchObject({ code: "unavailable" });
    await expect(pool.run({ do: "babble", value: 1 })).rejects.toMatchObject({ code: "internal" });
    await expect(pool.run({ do: "refuse" })).rejects.toMatchObject({
      code: "invalid",
      message: "not this one",
    });
    await expect(pool.run({ do: "fail" })).rejects.toMatchObject({ code: "internal" });
    expect(await pool.run({ do: "echo", value: 1 })).toBe(1);
  });

  it("obeys a signal, running or waiting", async () => {
    const pool = makePool();
    const [running, waiting] = [new AbortController(), new AbortController()];
    const first = pool.run({ do: "spin" }, running.signal);
    const second = pool.run({ do: "echo", value: 2 }, waiting.signal);
    waiting.abort(new Error("not needed"));
    running.abort(new Error("stopped"));
    await expect(first).rejects.toThrow("stopped");
    await expect(second).rejects.toThrow("not needed");
    expect(await pool.run({ do: "echo", value: 3 })).toBe(3);
  });

  it("says where a program can't be started", async () => {
    const pool = makePool({ entry: join(folder, "nowhere.mjs") });
    await expect(pool.run({ do: "echo" })).rejects.toMatchObject({ code: "unavailable" });
  });

  it.each(["spin", "native", "idle"])(
    "leaves no process behind where its parent is killed (%s)",
    async (how) => {
      const program = join(folder, `parent-${how}.mjs`);
      await build({
        stdin: {
          contents: `
          import { ProcessPool } from "~/core/worker-pool.server";
          import { z } from "zod";
          const pool = new ProcessPool({ name: "test", entry: ${JSON.stringify(entry)}, output: z.number(), size: 1,
            timeoutMs: 600_000, memoryMb: () => 256 });
          const pid = await pool.run({ do: "pid" });
          if (${JSON.stringify(how)} !== "idle") void pool.run({ do: ${JSON.stringify(how)} });
          process.stdout.write(String(pid));
          setInterval(() => undefined, 1000);`,
          resolveDir: resolve("."),
          loader: "ts",
        },
        outfile: program,
        alias: { "~": resolve("app") },
        bundle: true,
        platform: "node",
        format: "esm",
        banner: {
          js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
        },
      });
      writeFileSync(join(folder, "package.json"), "{}");
      const parent = spawn(process.execPath, [program], {
        stdio: ["ignore", "pipe", "inherit"],
        env: { ...process.env, LOG_LEVEL: "silent" },
      });
      const [text] = (await once(parent.stdout, "data")) as [Buffer];
      const pid = Number(String(text));
      expect(isRunning(pid)).toBe(true);
      parent.kill("SIGKILL");
      await gone(pid);
    },
  );
});
