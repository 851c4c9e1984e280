import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { rawDatabase, transaction } from "~/core/db.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { ORG_ID, openTestDatabase } from "../../../tests/support/database";
import {
  isSettingChosen,
  readGroupState,
  readSetting,
  readSettings,
  updateSettings,
} from "./settings.service.server";

describe("the organization's settings", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(() => {
    test = openTestDatabase();
  });
  afterEach(() => test.close());

  const save = (key: string, value: unknown) =>
    transaction(() =>
      rawDatabase()
        .prepare("INSERT INTO org_settings (org_id, key, value, updated_at) VALUES (?, ?, ?, 0)")
        .run(ORG_ID, key, JSON.stringify(value)),
    );
  const stored = (key: string) =>
    JSON.parse(
      rawDatabase().prepare("SELECT value FROM org_settings WHERE key = ?").pluck().get(key) as string,
    );
  const entries = () => listAudit(test.actors.owner, { limit: 50 }).entries;

  it("have their defaults until changed", () => {
    expect(readSetting(ORG_ID, "ai.timeout")).toBe(30_000);
    expect(readGroupState(ORG_ID, "ai")).toMatchObject({ version: 0, stored: {} });
    expect(isSettingChosen(ORG_ID, "ai.timeout")).toBe(false);
  });

  it("change by name with one audit entry of the values before and after", () => {
    const saved = updateSettings(test.actors.admin, "ai", { timeout: 5000, retryAttempts: 1 });
    expect(saved).toMatchObject({ version: 1, values: { timeout: 5000, retryAttempts: 1, maxTokens: 4096 } });
    expect(readSettings(ORG_ID, "ai")).toEqual(saved.values);
    expect(stored("ai")).toEqual({ timeout: 5000, retryAttempts: 1 });
    expect(entries()).toMatchObject([
      {
        action: "settings.updated",
        resource: "settings:ai",
        userId: "usr_admin",
        before: { timeout: 30_000, retryAttempts: 3 },
        after: { timeout: 5000, retryAttempts: 1 },
      },
    ]);
  });

  it("store an explicit default, and write nothing without a change", () => {
    expect(updateSettings(test.actors.admin, "ai", { timeout: 30_000 }).version).toBe(1);
    expect(isSettingChosen(ORG_ID, "ai.timeout")).toBe(true);
    expect(updateSettings(test.actors.admin, "ai", { timeout: 30_000 }).version).toBe(1);
    expect(updateSettings(test.actors.admin, "ai", {}).version).toBe(1);
    expect(entries()).toHaveLength(1);
  });

  it("require the group's permission, and an owner for some values", () => {
    const forbidden = expect.objectContaining({ code: "forbidden" });
    expect(() => updateSettings(test.actors.member, "ai", { timeout: 5000 })).toThrow(forbidden);
    expect(() => updateSettings(test.actors.member, "routing", { policy: "cheapest" })).toThrow(forbidden);
    for (const name of ["enableCSP", "enableAuditLogs"] as const) {
      expect(() => updateSettings(test.actors.admin, "security", { [name]: false })).toThrow(forbidden);
      expect(readSetting(ORG_ID, `security.${name}`)).toBe(true);
      updateSettings(test.actors.owner, "security", { [name]: false });
      // Sending a switch that is already off changes nothing; everyone who manages settings can turn it on.
      updateSettings(test.actors.admin, "security", { [name]: false, sessionTimeout: 600 });
      updateSettings(test.actors.admin, "security", { [name]: true });
      expect(readSetting(ORG_ID, `security.${name}`)).toBe(true);
    }
    const scoped = { ...test.actors.owner, scopes: ["settings.manage"] };
    expect(() => updateSettings(scoped, "security", { enableCSP: false })).toThrow(forbidden);
  });

  it("reject a stale version and name the changes since", () => {
    const read = updateSettings(test.actors.admin, "ai", { maxTokens: 512 }).version;
    updateSettings(test.actors.owner, "ai", { timeout: 5000 }, read);
    updateSettings(test.actors.owner, "ai", { defaultProvider: "google" });
    expect(() => updateSettings(test.actors.admin, "ai", { retryAttempts: 0 }, read)).toThrow(
      expect.objectContaining({
        code: "conflict",
        message: expect.stringContaining("Default provider, Timeout"),
        fields: {
          defaultProvider: ['Changed to "google" since you opened it'],
          timeout: ["Changed to 5000 since you opened it"],
        },
      }),
    );
    expect(readSetting(ORG_ID, "ai.retryAttempts")).toBe(3);
    // Another group's version is its own.
    expect(updateSettings(test.actors.admin, "monitoring", { healthChecks: false }, 0).version).toBe(1);
    expect(updateSettings(test.actors.admin, "ai", { retryAttempts: 0 }, 3).version).toBe(4);
  });

  it("reject unknown fields and values out of range, by field", () => {
    const refuse = (patch: object, fields: object) =>
      expect(() => updateSettings(test.actors.admin, "security", patch)).toThrow(
        expect.objectContaining({ code: "invalid", fields }),
      );
    refuse({ sessionTimeout: 299 }, { sessionTimeout: ["Choose a number from 300 to 86400 seconds"] });
    refuse({ sessionTimeout: 301 }, { sessionTimeout: ["Choose a multiple of 300 seconds"] });
    refuse({ enableCSP: "no" }, { enableCSP: ["Choose true or false"] });
    refuse({ firewall: true }, { "": [expect.stringContaining("firewall")] });
    expect(entries()).toEqual([]);
  });

  it("fall back by field for a newer version's value and keep it when another field is saved", () => {
    save("ai", { defaultProvider: "mars", timeout: 5000, dreams: true });
    expect(readSettings(ORG_ID, "ai")).toMatchObject({ defaultProvider: "openai", timeout: 5000 });
    updateSettings(test.actors.admin, "ai", { retryAttempts: 1 });
    expect(stored("ai")).toEqual({ defaultProvider: "mars", timeout: 5000, dreams: true, retryAttempts: 1 });
    expect(readSettings(ORG_ID, "ai")).toMatchObject({ defaultProvider: "openai", retryAttempts: 1 });
  });

  it("are unchanged, like the audit trail, after a rollback", () => {
    expect(() =>
      transaction(() => {
        updateSettings(test.actors.admin, "ai", { timeout: 5000 });
        expect(readSetting(ORG_ID, "ai.timeout")).toBe(5000);
        throw new Error("rolled back");
      }),
    ).toThrow("rolled back");
    expect(readSetting(ORG_ID, "ai.timeout")).toBe(30_000);
    expect(entries()).toEqual([]);
  });

  it("audit only the length of a long text", () => {
    updateSettings(test.actors.admin, "branding", { customCss: "body { color: red }" });
    const css = readGroupState(ORG_ID, "branding").version;
    expect(entries()[0]).toMatchObject({
      before: { customCss: { characters: 0 } },
      after: { customCss: { characters: 19 } },
    });
    expect(() => updateSettings(test.actors.admin, "branding", { appName: "Bridge" }, css - 1)).toThrow(
      expect.objectContaining({ fields: { customCss: ["Changed since you opened it"] } }),
    );
  });

  it("invalidate only the changed group's readers", () => {
    const groups = ["rag", "security", "branding", "routing"] as const;
    const before = groups.map((id) => readSettings(ORG_ID, id));
    const changed = readSettings(ORG_ID, "ai");
    updateSettings(test.actors.admin, "ai", { timeout: 5000 });
    // The very same objects: nothing was read or parsed.
    for (const [index, id] of groups.entries()) expect(readSettings(ORG_ID, id)).toBe(before[index]);
    expect(readSettings(ORG_ID, "ai")).not.toBe(changed);
  });
});
