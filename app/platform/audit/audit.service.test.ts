import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { transaction } from "~/core/db.server";
import { readSetting, updateSettings } from "~/platform/settings/settings.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { sensitive } from "./audit.schema";
import { append, changesOf, listAudit, switchTrailBy } from "./audit.service.server";

describe("the audit trail", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(() => {
    test = openTestDatabase();
    transaction((tx) => {
      for (let n = 0; n < 5; n++) {
        const actor = n % 2 ? test.actors.member : test.actors.admin;
        append(tx, actor, {
          action: "persona.created",
          resource: `persona:${n}`,
          details: { name: "Analyst", n, gone: undefined },
        });
      }
    });
  });
  afterEach(() => test.close());

  it("rolls back with the change it records", () => {
    const details = { name: "Analyst" };
    expect(() =>
      transaction((tx) => {
        append(tx, test.actors.admin, { action: "persona.created", resource: "persona:x", details });
        throw new Error("refused");
      }),
    ).toThrow("refused");
    expect(listAudit(test.actors.admin, { limit: 10 }).entries).toHaveLength(5);
  });

  it("pages through own entries for members and all entries for admins", () => {
    expect(listAudit(test.actors.member, { limit: 10 }).entries.map((entry) => entry.resource)).toEqual([
      "persona:3",
      "persona:1",
    ]);
    const first = listAudit(test.actors.admin, { limit: 3 });
    expect(first.entries.map((entry) => entry.resource)).toEqual(["persona:4", "persona:3", "persona:2"]);
    const second = listAudit(test.actors.admin, { limit: 3, ...(first.next ? { cursor: first.next } : {}) });
    expect(second.entries.map((entry) => entry.resource)).toEqual(["persona:1", "persona:0"]);
    expect(second.next).toBeUndefined();
  });

  it("records only its own switch while the audit log is off", () => {
    switchTrailBy((orgId) => readSetting(orgId, "security.enableAuditLogs"));
    const set = (enableAuditLogs: boolean) =>
      updateSettings(test.actors.owner, "security", { enableAuditLogs });
    const add = (id: string) =>
      transaction((tx) =>
        append(tx, test.actors.owner, {
          action: "persona.created",
          resource: `persona:${id}`,
          details: { name: "Analyst" },
        }),
      );
    set(false);
    add("off");
    set(true);
    add("on");
    const { entries } = listAudit(test.actors.admin, { limit: 3 });
    expect(entries.map(({ resource }) => resource)).toEqual([
      "persona:on",
      "settings:security",
      "settings:security",
    ]);
  });

  it("rejects an invalid cursor", () => {
    expect(() => listAudit(test.actors.admin, { limit: 3, cursor: "!" })).toThrow("not valid for this list");
  });
});

const shape = {
  name: z.string(),
  prompt: z.string().register(sensitive, { kind: "personal" }),
  token: z.string().register(sensitive, { kind: "secret" }).nullable().optional(),
  nested: z.object({ open: z.string(), secret: z.string().register(sensitive, { kind: "secret" }) }),
};

describe("audited changes", () => {
  it("include only changed fields", () => {
    expect(
      changesOf(shape, { name: "a", list: [1], size: 1 }, { name: "b", list: [1], size: undefined }),
    ).toEqual({
      before: { name: "a" },
      after: { name: "b" },
    });
  });

  it("redact secrets and personal texts", () => {
    const before = { prompt: "", token: "old", nested: { open: "a", secret: "b" } };
    const after = { prompt: "new", token: null, nested: { open: "a", secret: "c" } };
    expect(changesOf(shape, before, after)).toEqual({
      before: { prompt: "", token: "[redacted]", nested: { open: "a", secret: "[redacted]" } },
      after: { prompt: "[redacted]", token: null, nested: { open: "a", secret: "[redacted]" } },
    });
  });

  it("replace a long text by its length", () => {
    expect(changesOf(shape, {}, { name: "x".repeat(501) })).toEqual({
      before: { name: null },
      after: { name: { characters: 501 } },
    });
  });
});
