import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, expect, it, vi } from "vitest";
import { db } from "~/core/db.server";
import { setEnv } from "~/core/env.server";
import { closeWorkerPools } from "~/core/worker-pool.server";
import { createEdgePolicy, type EdgeSettings } from "~/http/edge-policy.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { findTrailFault } from "~/platform/audit/audit-head.server";
import { findOrgRecord } from "~/platform/settings/settings.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { describeInstallation } from "./maintenance.service.server";
import { holdStandby, isStandby, readStandby, recordOwnReplica, takeOver } from "./standby.service.server";

let test: ReturnType<typeof openTestDatabase>;
const startWith = (values: Record<string, string>) => {
  setEnv({ NODE_ENV: "test", LOG_LEVEL: "silent", DATA_DIR: test.folder, ...values });
  holdStandby();
};
afterEach(() => {
  startWith({});
  test.close();
});
afterAll(closeWorkerPools);

const restart = vi.fn(async () => undefined);
const prepare = () => {
  test = openTestDatabase();
  describeInstallation({ migrations: [], version: "1", restart });
  startWith({ LITESTREAM_URL: "s3://bucket/one/" });
  recordOwnReplica();
};

it("is held until an owner takes over, and again where its mark is missing", async () => {
  prepare();
  startWith({ STANDBY: "1", LITESTREAM_URL: "s3://bucket/two" });
  expect(isStandby()).toBe(true);
  // It must not call the path its own before the take-over.
  recordOwnReplica();
  const { owner, admin } = test.actors;
  expect(() => readStandby(admin)).toThrow("Only owners");
  await expect(takeOver(admin)).rejects.toThrow("Only owners");
  expect(readStandby(owner)).toEqual({
    isStandby: true,
    own: "s3://bucket/two",
    former: "s3://bucket/one",
    obstacle: null,
  });
  await takeOver(owner);
  await expect.poll(() => restart.mock.calls.length).toBe(1);
  holdStandby();
  expect([isStandby(), findTrailFault()]).toEqual([false, undefined]);
  const { entries } = listAudit(owner, { limit: 5 });
  expect(entries.find(({ action }) => action === "console.taken_over")).toMatchObject({
    details: { replica: "s3://bucket/two", former: "s3://bucket/one" },
  });
  // As on a machine to which the replica of this one was restored.
  rmSync(join(test.folder, "standby.taken-over"));
  holdStandby();
  expect(isStandby()).toBe(true);
});

it.each([
  ["without a replica path", {}, "a replica path of its own"],
  ["with the former console's", { LITESTREAM_URL: "s3://key:secret@bucket//one" }, "belongs to the former"],
])("refuses a take-over %s", async (_, values, said) => {
  prepare();
  startWith({ STANDBY: "1", ...(values as Record<string, string>) });
  await expect(takeOver(test.actors.owner)).rejects.toThrow(said);
  expect(isStandby()).toBe(true);
  expect(findOrgRecord(db(), test.actors.owner.orgId, "writer")).toEqual({ replica: "s3://bucket/one" });
});

it("refuses changes but signing in and the take-over", () => {
  prepare();
  startWith({ STANDBY: "1" });
  const policy = createEdgePolicy(() => ({ rateLimitEnabled: false }) as EdgeSettings);
  const isRefused = (method: string, path: string) =>
    policy.count({ method, path, address: "::1" } as Parameters<typeof policy.count>[0], undefined)
      .refusal !== undefined;
  const refused = [
    "/api/chats",
    "/v1/chat/completions",
    "/mcp",
    "/chat",
    "/api/hooks/x",
    "/loginx",
    "/approve/x",
  ];
  const taken = ["/login", "/login/code", "/logout", "/api/login", "/standby", "/api/system/take-over"];
  expect(refused.filter((path) => !isRefused("POST", path))).toEqual([]);
  expect(taken.filter((path) => isRefused("POST", path))).toEqual([]);
  expect(isRefused("GET", "/api/chats")).toBe(false);
});
