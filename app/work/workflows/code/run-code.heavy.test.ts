import { afterAll, describe, expect, it } from "vitest";
import { closeWorkerPools } from "~/core/worker-pool.server";
import type { Json } from "../steps/step-type";
import { runCode } from "./run-code.server";

afterAll(closeWorkerPools);

const run = (code: string, input: Json = null, signal = new AbortController().signal) =>
  runCode(code, input, signal);

describe("code", () => {
  it("computes a value of its input and writes to the log", async () => {
    const code = `
      const rows = input.rows.map(({ price, ...row }) => ({ ...row, cents: price * 100 }));
      console.log("rows", rows.length, rows[0]);
      console.warn(undefined);
      return { rows, at: await Promise.resolve(typeof Date.now()) };
      // a comment at the end`;
    expect(await run(code, { rows: [{ name: "Pump", price: 2 }] })).toEqual({
      output: { rows: [{ name: "Pump", cents: 200 }], at: "number" },
      error: null,
      log: [
        { level: "info", message: 'rows 1 {"name":"Pump","cents":200}' },
        { level: "warn", message: "undefined" },
      ],
    });
    expect(await run("input.n += 1;", { n: 1 })).toMatchObject({ output: null, error: null });
  });

  it.each([
    ["const a = 1;\n\nthrow new Error('No price')", "Line 3: No price"],
    ["let a;\na.b.c", "Line 2: TypeError: cannot read property 'b' of undefined"],
    ["const a = 1;\nconst b = ;", "Line 2: SyntaxError: unexpected token"],
    ["}); (", "SyntaxError"],
    ["throw 'plain'", "The code threw plain"],
    ["await new Promise(() => {})", "waits for a promise that nothing settles"],
    ["await import('os')", "could not load module 'os'"],
    ["return fetch('http://127.0.0.1')", "fetch is not defined"],
    ["return 10n", "BigInt"],
  ])("says what is wrong with %j", async (code, message) => {
    expect(await run(code)).toMatchObject({ output: null, error: expect.stringContaining(message) });
  });

  it.each([
    ["a memory bomb", "const all = []; for (;;) all.push(new Array(1000).fill(1));", "more than 64 MB"],
    ["a huge string", "let text = 'x'; for (;;) text += text;", "string too long"],
    ["many huge strings", "return Array.from({ length: 1e5 }, (_, n) => 'x'.repeat(1e6) + n)", "64 MB"],
    ["endless recursion", "const again = () => again() + 1; return again();", "calls itself too often"],
    ["a deep value", "let a = {}; for (let n = 0; n < 1000; n++) a = { a }; return a;", "deeper than 64"],
    ["a very deep value", "let a = {}; for (let n = 0; n < 1e5; n++) a = { a }; return a;", "nests too deep"],
    ["too many values", "return Array(200_001).fill(1)", "more than 100000 values"],
    ["a long value", "return 'x'.repeat(1_100_000)", "more than 1 million characters"],
    ["a loop in the value", "const a = []; a.push(a); return a;", "circular"],
  ])("ends %s, and the next code runs", async (_, code, message) => {
    const { error } = await run(code);
    expect(error).toContain(message);
    expect(await run("return 1 + 1")).toMatchObject({ output: 2 });
  });

  it.each([
    "for (;;);",
    "await 1; for (;;);",
    "return { toJSON() { for (;;); } }",
    "return '('.repeat(1000) + /^(a+)+$/.test('a'.repeat(40) + 'b')",
  ])("ends %s with its step", async (code) => {
    const stop = new AbortController();
    const running = run(code, null, stop.signal);
    // The other process has answered meanwhile, so this one runs.
    await run("return 1");
    stop.abort(new Error("stopped"));
    await expect(running).rejects.toThrow("stopped");
  });

  it("holds the time limit of code that waits for its turn", async () => {
    const stops = [new AbortController(), new AbortController()];
    const endless = stops.map(({ signal }) => run("for (;;);", null, signal));
    let isHeld = false;
    const waiting = runCode("return 1", null, new AbortController().signal, () => {
      isHeld = true;
      return () => {
        isHeld = false;
      };
    });
    expect(isHeld).toBe(true);
    for (const stop of stops) stop.abort(new Error("stopped"));
    await Promise.all(endless.map((ended) => expect(ended).rejects.toThrow("stopped")));
    expect(await waiting).toMatchObject({ output: 1 });
    expect(isHeld).toBe(false);
  });

  it("keeps nothing for the next code, whatever it changed", async () => {
    const trick = `
      Object.prototype.toJSON = () => "changed";
      Array.prototype.push = JSON.stringify = JSON.parse = Object.keys = () => { throw new Error("trap"); };
      Object.defineProperty(Object.prototype, "polluted", { get: () => "yes" });
      globalThis.left = "here";
      return JSON.parse === Array.prototype.push;`;
    expect((await run(trick)).error).toBeNull();
    expect(await run("return [typeof left, ({}).polluted ?? null, JSON.stringify([1])]")).toMatchObject({
      output: ["undefined", null, "[1]"],
    });
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
    const proto = await run('return JSON.parse(\'{"__proto__": {"polluted": "yes"}}\')');
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
    expect(Object.keys(proto.output as object)).toEqual(["__proto__"]);
  });

  it("reaches nothing outside", async () => {
    const code = `
      const names = ["fetch", "require", "process", "setTimeout", "Worker", "WebAssembly", "std", "os", "scriptArgs"];
      const outside = Function("return this")();
      return names.filter((name) => name in globalThis || name in (outside ?? {}));`;
    expect(await run(code)).toMatchObject({ output: [], error: null });
  });

  it("refuses a huge input", async () => {
    await expect(run("return 1", "x".repeat(5_000_001))).rejects.toMatchObject({ code: "too_large" });
  });
});
