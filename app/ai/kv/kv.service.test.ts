import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { transaction } from "~/core/db.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { kvEntries } from "~db/schema";
import { ORG_ID, openTestDatabase } from "../../../tests/support/database";
import { getValue, MAX_KEYS, setValue } from "./kv.service.server";

describe("the key-value store", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(() => {
    test = openTestDatabase();
  });
  afterEach(() => test.close());

  it("shares values with every member", () => {
    setValue(test.actors.member, { key: "colour", value: "teal" });
    expect(getValue(test.actors.admin, "colour")).toMatchObject({ value: "teal", updatedBy: "usr_member" });
    setValue(test.actors.admin, { key: "colour", value: "grey" });
    expect(getValue(test.actors.member, "colour")?.value).toBe("grey");
    expect(getValue(test.actors.member, "other")).toBeUndefined();
    expect(getValue({ ...test.actors.member, orgId: "org_other" }, "colour")).toBeUndefined();
  });

  it("records each write without its value", () => {
    setValue(test.actors.member, { key: "colour", value: "teal" });
    setValue(test.actors.member, { key: "colour", value: "grey" });
    const { entries } = listAudit(test.actors.member, { limit: 10 });
    expect(entries.map(({ action, resource, details }) => ({ action, resource, details }))).toEqual([
      { action: "kv.set", resource: "kv:colour", details: { length: 4, replaced: true } },
      { action: "kv.set", resource: "kv:colour", details: { length: 4, replaced: false } },
    ]);
  });

  it("is forbidden to viewers and to tokens without the scope", () => {
    expect(() => setValue(test.actors.viewer, { key: "a", value: "b" })).toThrow("Viewers can't chat");
    expect(() => getValue(test.actors.viewer, "a")).toThrow("Viewers can't chat");
    expect(() => getValue({ ...test.actors.owner, scopes: ["screens.read"] }, "a")).toThrow(
      "lacks the scope",
    );
  });

  it.each([
    ["", "x"],
    ["k".repeat(201), "x"],
    ["a\nb", "x"],
    ["key", "x".repeat(65_537)],
    ["key", "é".repeat(32_769)],
  ])("rejects a key or value beyond its limits", (key, value) => {
    expect(() => setValue(test.actors.member, { key, value })).toThrow();
    expect(listAudit(test.actors.member, { limit: 1 }).entries).toEqual([]);
  });

  it("rejects new keys when full but replaces existing values", () => {
    transaction((tx) => {
      for (let n = 0; n < MAX_KEYS; n++) {
        tx.insert(kvEntries)
          .values({ orgId: ORG_ID, key: `k${n}`, value: "", updatedBy: "usr_member", updatedAt: 0 })
          .run();
      }
    });
    expect(() => setValue(test.actors.member, { key: "one more", value: "" })).toThrow("is full");
    expect(setValue(test.actors.member, { key: "k7", value: "new" }).value).toBe("new");
  });
});
