import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { rawDatabase, transaction } from "~/core/db.server";
import { append, listAudit } from "~/platform/audit/audit.service.server";
import { verifyChainHere as verifyChain } from "~/platform/audit/verify.service.server";
import type { AuditAction } from "~/platform/catalogue/audit-actions";
import { openTestDatabase } from "../../../tests/support/database";
import { oddTexts } from "../../../tests/support/odd-texts";

describe("the audit trail with odd texts", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(() => {
    test = openTestDatabase();
  });
  afterEach(() => test.close());

  const add = (action: AuditAction, resource: string, details: Record<string, unknown> = {}) =>
    transaction((tx) => append(tx, test.actors.admin, { action, resource, details }));

  it("verifies unusual text in every field", async () => {
    const texts = oddTexts(300);
    for (const text of texts) {
      const nested = { list: [text, { [text]: { [`${text}2`]: null } }] };
      transaction((tx) =>
        append(
          tx,
          { userId: text, orgId: test.actors.admin.orgId, requestId: text, tokenId: text, address: text },
          {
            action: text as AuditAction,
            resource: `kv:${text}`,
            details: { name: text, [text]: text, nested },
            before: { [text]: text },
            after: nested,
          },
        ),
      );
    }
    expect(await verifyChain()).toMatchObject({ entries: texts.length });
    expect(await verifyChain()).not.toHaveProperty("brokenAt");
  });

  it.each([
    ["numbers", { zero: -0, huge: Number.POSITIVE_INFINITY, none: Number.NaN, long: 2 ** 70, tiny: 5e-324 }],
    ["nothing", { gone: undefined, empty: null, list: [undefined] }],
    ["names of prototypes", JSON.parse('{"__proto__":{"a":1},"constructor":1,"toString":"x"}')],
    ["names that are numbers", { b: 1, 2: 2, 1: 1, a: 3 }],
    ["dates and sets", { at: new Date(0), set: new Set([1]) }],
    ["two names that become equal", { "a\ud800": 1, "a\udfff": 2, "a\ufffd": 3 }],
  ])("verifies with %s in the details", async (_, details) => {
    add("kv.set", "kv:a", details);
    add("kv.set", "kv:b");
    expect(await verifyChain()).not.toHaveProperty("brokenAt");
  });

  it("keeps the last of two names that normalize to the same text", () => {
    add("kv.set", "kv:a", { "a\ud800": 1, "a\udfff": 2 });
    expect(listAudit(test.actors.admin, { limit: 1 }).entries[0]?.details).toEqual({ "a\ufffd": 2 });
  });

  it("reports text whose bytes were written in another form, though it reads the same", async () => {
    add("kv.set", "kv:a", { name: "\u{1f600}" });
    const raw = rawDatabase();
    const read = raw.prepare("SELECT CAST(details AS BLOB) FROM audit_entries").pluck();
    const hex = (read.get() as Buffer).toString("hex");
    const rewrite = (bytes: string) =>
      raw.exec(`UPDATE audit_entries SET details = CAST(x'${hex.replace("f09f9880", bytes)}' AS TEXT)`);
    expect(await verifyChain(), "as it was stored").not.toHaveProperty("brokenAt");
    rewrite("eda0bdedb880");
    expect(await verifyChain(), "as two halves of a pair").toMatchObject({ brokenAt: 1 });
    rewrite("f09f9880");
    expect(await verifyChain()).not.toHaveProperty("brokenAt");
  });

  it("stores well-formed text", () => {
    add("kv.set", "kv:\ud800", { name: "\udc00" });
    const row = rawDatabase().prepare("SELECT resource, details FROM audit_entries").get() as object;
    expect(row).toEqual({ resource: "kv:\ufffd", details: JSON.stringify({ name: "\ufffd" }) });
  });
});
