import { Writable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { setEnv } from "./env.server";

describe("the log", () => {
  let lines: Record<string, unknown>[];
  let log: typeof import("./log.server").log;

  beforeEach(async () => {
    lines = [];
    setEnv({ LOG_LEVEL: "info" });
    vi.resetModules();
    vi.doMock("pino", async (original) => {
      const real = await original<typeof import("pino")>();
      const sink = new Writable({
        write(chunk, _encoding, done) {
          lines.push(JSON.parse(String(chunk)) as Record<string, unknown>);
          done();
        },
      });
      return { ...real, pino: Object.assign((options: object) => real.pino(options, sink), real.pino) };
    });
    const environment = await import("./env.server");
    environment.setEnv({ LOG_LEVEL: "info" });
    ({ log } = await import("./log.server"));
  });
  afterEach(() => {
    vi.doUnmock("pino");
    setEnv(undefined);
  });

  it("writes the message and allowed fields as one JSON line", () => {
    log.info("request", { requestId: "req_1", status: 200, durationMs: 3 });
    expect(lines).toEqual([expect.objectContaining({ msg: "request", requestId: "req_1", status: 200 })]);
    expect(String(lines[0]?.time)).toMatch(/^\d{4}-\d\d-\d\dT/);
  });

  it("keeps the ids of jobs and indexes", () => {
    log.warn("failed", { job: "job_1", kind: "ingest", index: 3, runId: "run_1" });
    expect(lines[0]).toMatchObject({ job: "job_1", kind: "ingest", index: 3, runId: "run_1" });
  });

  it("drops every field that isn't on its list", () => {
    const fields: object = {
      prompt: "tell me",
      headers: { authorization: "Bearer x" },
      body: "secret",
      path: "/x",
    };
    log.warn("odd", fields);
    expect(JSON.stringify(lines)).not.toMatch(/tell me|Bearer|secret/);
    expect(lines[0]).toMatchObject({ path: "/x" });
  });

  it("logs an error's name, message, stack and causes, and no other properties", () => {
    const cause = Object.assign(new Error("refused"), {
      request: { headers: { authorization: "Bearer x" } },
    });
    log.error("failed", { error: new TypeError("outer", { cause }) });
    expect(lines[0]?.error).toMatchObject({
      name: "TypeError",
      message: "outer",
      cause: { message: "refused" },
    });
    expect(JSON.stringify(lines)).not.toContain("Bearer");
  });

  it("truncates long values", () => {
    log.error("failed", { error: new Error("x".repeat(100_000)) });
    expect(JSON.stringify(lines).length).toBeLessThan(10_000);
  });

  it("logs nothing below its level", () => {
    log.debug("detail");
    expect(lines).toEqual([]);
  });

  it("applies a new level at once, unless the environment sets one", async () => {
    const { setLogLevel } = await import("./log.server");
    log.info("first");
    setLogLevel("warn");
    log.info("second");
    const environment = await import("./env.server");
    environment.setEnv({});
    setLogLevel("warn");
    log.info("third");
    setLogLevel("debug");
    log.debug("fourth");
    expect(lines.map(({ msg }) => msg)).toEqual(["first", "second", "fourth"]);
  });

  it("reports errors to listeners without their properties", async () => {
    const { onErrorLogged } = await import("./log.server");
    const seen: unknown[] = [];
    const stop = onErrorLogged((logged) => seen.push(logged));
    const error = Object.assign(new Error("refused"), { body: "secret" });
    const fields: object = { error, requestId: "req_1", prompt: "secret" };
    log.error("failed", fields);
    log.warn("odd");
    stop();
    log.error("unseen");
    expect(seen).toEqual([
      {
        message: "failed",
        requestId: "req_1",
        error: { name: "Error", message: "refused", stack: expect.stringContaining("log.isolated.test.ts") },
      },
    ]);
  });
});
