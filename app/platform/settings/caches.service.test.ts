import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setClock } from "~/core/clock.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { clearCaches, countCached, isCacheFresh, makeCache } from "./caches.service.server";
import { updateSettings } from "./settings.service.server";

describe("a cache", () => {
  let test: ReturnType<typeof openTestDatabase>;
  let time: number;
  const cache = makeCache<string>("test", 2);
  beforeEach(() => {
    test = openTestDatabase();
    time = Date.parse("2027-03-01T12:00:00Z");
    setClock(() => time);
    clearCaches(test.actors.admin);
  });
  afterEach(() => {
    setClock();
    test.close();
  });
  const org = () => test.actors.admin.orgId;
  const change = (values: Record<string, unknown>) =>
    updateSettings(test.actors.admin, "performance", values);

  it("keeps a value for the cache timeout, applied immediately on change", () => {
    cache.set(org(), "a", "1");
    time += 299_000;
    expect(cache.get(org(), "a")).toBe("1");
    change({ cacheTimeout: 60 });
    expect(cache.get(org(), "a")).toBeUndefined();
    expect(isCacheFresh(org(), time - 59_000)).toBe(true);
    expect(isCacheFresh(org(), time - 60_000)).toBe(false);
  });

  it("keeps nothing while caching is off", () => {
    cache.set(org(), "a", "1");
    change({ enableCaching: false });
    expect(cache.get(org(), "a")).toBeUndefined();
    cache.set(org(), "b", "2");
    change({ enableCaching: true });
    expect(cache.get(org(), "b")).toBeUndefined();
  });

  it("is bounded and keeps recently used values", () => {
    cache.set(org(), "a", "1");
    cache.set(org(), "b", "2");
    cache.get(org(), "a");
    cache.set(org(), "c", "3");
    expect(["a", "b", "c"].map((key) => cache.get(org(), key))).toEqual(["1", undefined, "3"]);
  });

  it("belongs to one organization and can be cleared by admins", () => {
    cache.set(org(), "a", "1");
    expect(cache.get("org_other", "a")).toBeUndefined();
    expect(countCached(test.actors.admin)).toBe(1);
    expect(() => clearCaches(test.actors.member)).toThrow();
    const before = listAudit(test.actors.admin, { limit: 9 }).entries;
    expect(clearCaches(test.actors.admin)).toEqual({ cleared: 1 });
    expect(cache.get(org(), "a")).toBeUndefined();
    expect(listAudit(test.actors.admin, { limit: 9 }).entries).toEqual([
      expect.objectContaining({ action: "cache.cleared", details: { cleared: 1 } }),
      ...before,
    ]);
  });
});
