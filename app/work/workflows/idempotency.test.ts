import { createHmac } from "node:crypto";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { setClock } from "~/core/clock.server";
import { db, rawDatabase } from "~/core/db.server";
import { DAY } from "~/core/durations";
import { signCall } from "~/core/webhook-signature.server";
import type { JobContext } from "~/platform/jobs/job-kind.service.server";
import { addKey } from "~/team/keys/keys.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { engine } from "./engine/local-engine.server";
import { callHook, listWebhooks } from "./hooks.service.server";
import { deleteRuns, findRun } from "./runs.repo.server";
import { runWorkflow, startWorkflows } from "./runs.service.server";
import { workflowJobs } from "./workflows.jobs.server";
import { createWorkflow } from "./workflows.service.server";

const SECRET = "a secret of the sender";

let test: ReturnType<typeof openTestDatabase>;
let stop: () => Promise<void>;
let at = Date.UTC(2026, 5, 1);
beforeEach(() => {
  vi.stubEnv("QUARTERDECK_KEY_HOOK", SECRET);
  at = Date.UTC(2026, 5, 1);
  setClock(() => at);
  test = openTestDatabase();
  stop = startWorkflows();
});
afterEach(async () => {
  await stop();
  vi.unstubAllEnvs();
  setClock();
  test.close();
});

function createHook(config: object): { id: string; token: string; other: string } {
  const { id } = createWorkflow(test.actors.member, {
    name: "Hooked",
    description: "",
    triggers: ["hook", "other"].map((id) => ({ id, type: "webhook", config: { ...config } })),
    steps: [{ type: "log", config: { message: "x" } }],
    connections: [],
  });
  const [token = "", other = ""] = listWebhooks(test.actors.member, id).map(
    ({ path }) => path.split("/").at(-1) ?? "",
  );
  return { id, token, other };
}

async function call(token: string, headers: Record<string, string>, body: string | Buffer = "{}") {
  const result = await callHook({
    token,
    method: "POST",
    headers,
    query: [],
    rawBody: Buffer.from(body),
    signal: AbortSignal.timeout(5000),
  });
  if (!result) throw new Error("HEAD starts no run.");
  await engine().ended(result.runId, AbortSignal.timeout(5000));
  return result;
}

async function sweep(): Promise<void> {
  const kind = workflowJobs.find(({ kind }) => kind === "workflows.sweep");
  await kind?.run({ input: {}, signal: new AbortController().signal } as JobContext<unknown>);
}

const countKeys = () => rawDatabase().prepare("SELECT count(*) FROM workflow_run_keys").pluck().get();

describe("an idempotency key", () => {
  it("is known for a day, also once its run was deleted", async () => {
    const { id, token } = createHook({});
    const first = await call(token, { "idempotency-key": "order-17" });
    const manual = await runWorkflow(test.actors.member, id, {}, "by hand");
    await engine().ended(manual.id, AbortSignal.timeout(5000));
    deleteRuns(db(), [first.runId, manual.id]);
    at += DAY - 1000;
    await sweep();
    expect(await call(token, { "idempotency-key": "order-17" })).toEqual({
      runId: first.runId,
      repeated: true,
    });
    await expect(runWorkflow(test.actors.member, id, {}, "by hand")).rejects.toThrow(/has been deleted/);
    at += 2000;
    await sweep();
    expect(countKeys()).toBe(0);
    expect(await call(token, { "idempotency-key": "order-17" })).toMatchObject({ repeated: false });
  });

  it("gives the run the same ID on a copy of the console that never had it", async () => {
    const { id, token } = createHook({});
    const started = async () => [
      (await call(token, { "idempotency-key": "order-17" })).runId,
      (await runWorkflow(test.actors.member, id, {}, "order-17")).id,
      (await call(token, { "idempotency-key": "order-18" })).runId,
    ];
    const before = await started();
    for (const runId of before) await engine().ended(runId, AbortSignal.timeout(5000));
    deleteRuns(db(), before);
    rawDatabase().exec("DELETE FROM workflow_run_keys");
    expect([await started(), new Set(before).size]).toEqual([before, 3]);
    const other = createHook({});
    const elsewhere = await call(other.token, { "idempotency-key": "order-17" });
    expect(before).not.toContain(elsewhere.runId);
  });

  it("is known as long as its run", async () => {
    const { token } = createHook({});
    const first = await call(token, { "idempotency-key": "order-17" });
    at += 20 * DAY;
    await sweep();
    expect(await call(token, { "idempotency-key": "order-17" })).toEqual({
      runId: first.runId,
      repeated: true,
    });
  });
});

describe("a signed call", () => {
  const sign = (key: string, body = "{}"): Record<string, string> => {
    return {
      ...signCall({ secret: SECRET, id: "one", rawBody: Buffer.from(body), now: at }),
      ...(key ? { "idempotency-key": key } : {}),
    };
  };
  let token: string;
  let other: string;
  let keyId: string;
  beforeEach(() => {
    const key = addKey(test.actors.admin, {
      provider: "other",
      alias: "QUARTERDECK_KEY_HOOK",
      origin: "https://sender.example",
    });
    keyId = key.id;
    ({ token, other } = createHook({ signatureKey: keyId }));
  });

  it("counts once, whatever its idempotency key says, also once its run was deleted", async () => {
    const signed = sign("one");
    const first = await call(token, signed);
    const again = { runId: first.runId, repeated: true };
    for (const key of ["two", "three"])
      expect(await call(token, { ...signed, "idempotency-key": key })).toEqual(again);
    const { "idempotency-key": _, ...bare } = signed;
    expect(await call(token, bare)).toEqual(again);
    expect(await call(other, bare)).toMatchObject({ repeated: false });
    deleteRuns(db(), [first.runId]);
    at += 299_000;
    expect(await call(token, { ...signed, "idempotency-key": "four" })).toEqual(again);
  });

  it("counts once if it repeated a known key", async () => {
    const first = await call(token, sign("one"));
    at += 5000;
    const resent = sign("one");
    const again = { runId: first.runId, repeated: true };
    expect(await call(token, resent)).toEqual(again);
    expect(await call(token, { ...resent, "idempotency-key": "two" })).toEqual(again);
    expect(await call(token, sign("three", '{"n":2}'), '{"n":2}')).toMatchObject({ repeated: false });
  });

  describe.each(["standard", "github", "hmac"])("by the scheme %s", (signature) => {
    const config = () => ({ signature, signatureHeader: "X-Signature", signatureKey: keyId });
    const signedBy = (body: string, id = "msg_1"): Record<string, string> => {
      const { "webhook-signature": standard, ...others } = signCall({
        secret: SECRET,
        id,
        rawBody: Buffer.from(body),
        now: at,
      });
      const digest = createHmac("sha256", SECRET).update(body).digest("hex");
      return {
        "webhook-id": others["webhook-id"],
        "webhook-timestamp": others["webhook-timestamp"],
        "webhook-signature": standard,
        "x-hub-signature-256": `sha256=${digest}`,
        "x-signature": digest,
      };
    };

    it("counts once at each address", async () => {
      const { token: first, other: second } = createHook(config());
      const { runId } = await call(first, signedBy("{}"));
      at += 60_000;
      // An attempt again has a new time.
      expect(await call(first, signedBy("{}"))).toEqual({ runId, repeated: true });
      expect(await call(second, signedBy("{}"))).toMatchObject({ repeated: false });
      expect(await call(first, signedBy('{"n":2}', "msg_2"), '{"n":2}')).toMatchObject({ repeated: false });
      await expect(call(first, signedBy("{}"), '{"n":3}')).rejects.toMatchObject({ code: "unauthenticated" });
    });

    it("may be of the body before it was compressed or after", async () => {
      const { token } = createHook(config());
      const body = gzipSync('{"n":4}');
      const encoded = { "content-encoding": "gzip", "content-type": "application/json" };
      const before = await call(token, { ...signedBy('{"n":4}'), ...encoded }, body);
      expect(before).toMatchObject({ repeated: false });
      expect(findRun(db(), before.runId)?.payload).toMatchObject({ body: { n: 4 } });
      const after = gzipSync('{"n":5}');
      const digest = createHmac("sha256", SECRET).update(after).digest("hex");
      const { "webhook-signature": standard } = signCall({
        secret: SECRET,
        id: "msg_5",
        rawBody: after,
        now: at,
      });
      const headers = {
        ...signedBy("{}", "msg_5"),
        "webhook-signature": standard,
        "x-hub-signature-256": `sha256=${digest}`,
        "x-signature": digest,
        ...encoded,
      };
      expect(await call(token, headers, after)).toMatchObject({ repeated: false });
    });
  });
});
