import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { callTool } from "~/ai/tools/call-tool.service.server";
import { offerTools } from "~/ai/tools/tools.service.server";
import { setClock } from "~/core/clock.server";
import { transaction } from "~/core/db.server";
import { setEnv } from "~/core/env.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { addKey } from "~/team/keys/keys.service.server";
import { pluginInstallations } from "~db/schema";
import { openTestDatabase } from "../../../tests/support/database";
import { startMockServer } from "../../../tests/support/mock-server";
import { configurePlugin, installPlugin, readConfig, uninstallPlugin } from "./install.service.server";
import { startPlugins } from "./plugin-tools.service.server";
import { forgetPluginSettingsJob } from "./plugins.jobs.server";
import { countByCategory, listInstalled, listPlugins, ratePlugin } from "./plugins.service.server";

let test: ReturnType<typeof openTestDatabase>;
let stop: () => void;
beforeEach(() => {
  test = openTestDatabase();
  stop = startPlugins();
});
afterEach(() => {
  stop();
  setClock();
  test.close();
});

const call = (name: string, input: unknown, role: "viewer" | "member" = "member") =>
  callTool(test.actors[role], name, input, {
    source: { kind: "chat", conversationId: "con_1", messageId: "msg_1" },
    signal: new AbortController().signal,
    approval: "given",
  });
const offered = () => offerTools(test.actors.member).map(({ name }) => name);
const trail = () =>
  listAudit(test.actors.admin, { limit: 20 })
    .entries.filter(({ action }) => action.startsWith("extension."))
    .map(({ action, details }) => ({ action, details }))
    .reverse();

describe("installing a plugin", () => {
  it("offers its tools, records the consent and removes them on uninstall", async () => {
    expect(offered()).not.toContain("calculator.calculate");
    const installed = installPlugin(test.actors.admin, "calculator");
    expect(installed).toMatchObject({
      pluginId: "calculator",
      enabled: true,
      version: "1.0.0",
      agreedBy: "usr_admin",
      pending: null,
      problem: null,
      plugin: { installed: true, downloads: 1, verified: true },
    });
    expect(await call("calculator.calculate", { expression: "(2 + 3) * 2 ^ 3" })).toEqual({
      ok: true,
      output: { expression: "(2 + 3) * 2 ^ 3", value: 40 },
    });
    uninstallPlugin(test.actors.admin, "calculator");
    expect(offered()).not.toContain("calculator.calculate");
    expect(await call("calculator.calculate", { expression: "1" })).toEqual({
      ok: false,
      code: "not_found",
      error:
        "Tool \"calculator.calculate\" can't be used. The plugin Calculator & Units isn't installed. An admin can install it under Extensions.",
    });
    expect(trail()).toEqual([
      {
        action: "extension.installed",
        details: { title: "Calculator & Units", version: "1.0.0", hosts: [], keys: [], effects: ["reads"] },
      },
      { action: "extension.uninstalled", details: { title: "Calculator & Units" } },
    ]);
  });

  it("has no effect a second time", () => {
    const first = installPlugin(test.actors.admin, "calculator");
    expect(installPlugin(test.actors.admin, "calculator")).toEqual(first);
    expect(trail()).toHaveLength(1);
  });

  it("is rejected for a version that wasn't shown", () => {
    expect(() => installPlugin(test.actors.admin, "calculator", "0.9.0")).toThrow(/has changed/);
  });

  it("requires an admin, like everything except browsing and rating", () => {
    const { viewer, member } = test.actors;
    for (const actor of [viewer, member]) {
      expect(() => installPlugin(actor, "calculator")).toThrow(/admin/);
      expect(() => uninstallPlugin(actor, "calculator")).toThrow(/admin/);
      expect(() => configurePlugin(actor, "calculator", { enabled: false })).toThrow(/admin/);
      expect(() => readConfig(actor, "calculator")).toThrow(/admin/);
      expect(listPlugins(actor).length).toBeGreaterThan(10);
    }
    expect(() => ratePlugin(viewer, "calculator", 5)).toThrow();
    expect(ratePlugin(member, "calculator", 4)).toMatchObject({ rating: 4, ratings: 1 });
    expect(ratePlugin(member, "calculator", 4)).toMatchObject({ rating: 4, ratings: 1 });
    expect(ratePlugin(test.actors.owner, "calculator", 5)).toMatchObject({ rating: 4.5, ratings: 2 });
    const title = "Calculator & Units";
    expect(trail()).toEqual([
      { action: "extension.rated", details: { title, stars: 4 } },
      { action: "extension.rated", details: { title, stars: 5 } },
    ]);
  });

  it("allows calls by members but not viewers", async () => {
    installPlugin(test.actors.admin, "calculator");
    expect(await call("calculator.calculate", { expression: "1" }, "viewer")).toMatchObject({
      ok: false,
      code: "forbidden",
    });
  });
});

describe("an installed plugin", () => {
  it("offers its tools only while it is enabled", async () => {
    installPlugin(test.actors.admin, "date-time");
    configurePlugin(test.actors.admin, "date-time", { enabled: false });
    expect(offered()).not.toContain("date-time.now");
    expect(await call("date-time.now", {})).toMatchObject({
      error: expect.stringContaining(
        "Date & Time Zones is inactive. An admin can enable it under Extensions.",
      ),
    });
    configurePlugin(test.actors.admin, "date-time", { enabled: true });
    expect(offered()).toContain("date-time.now");
    expect(trail().map(({ action }) => action)).toEqual([
      "extension.installed",
      "extension.disabled",
      "extension.enabled",
    ]);
  });

  it("uses changed settings from the next call on", async () => {
    setClock(() => Date.UTC(2026, 10, 23, 12));
    installPlugin(test.actors.admin, "date-time");
    expect(await call("date-time.now", {})).toMatchObject({ output: { time: "12:00:00", zone: "UTC" } });
    configurePlugin(test.actors.admin, "date-time", { settings: { zone: "Europe/Vienna" } });
    expect(await call("date-time.now", {})).toMatchObject({ output: { time: "13:00:00" } });
    expect(trail().at(-1)).toEqual({
      action: "extension.updated",
      details: { title: "Date & Time Zones", settings: ["zone"] },
    });
  });

  it("rejects unknown and invalid settings", () => {
    installPlugin(test.actors.admin, "webhook-notifier");
    const configure = (settings: Record<string, unknown>) => () =>
      configurePlugin(test.actors.admin, "webhook-notifier", { settings });
    expect(configure({ other: "x" })).toThrow(/invalid/);
    expect(configure({ address: "file:///etc/passwd" })).toThrow(/invalid/);
    expect(configure({ format: "Carrier pigeon" })).toThrow(/invalid/);
    expect(configure({ token: "key_none" })).toThrow(/invalid/);
  });

  it.each([
    ["date-time", { zone: "Mars/Olympus" }, "zone", "Enter a time zone such as Europe/Vienna"],
    ["document-translator", { model: "none" }, "model", "No provider offers this model. Choose another one."],
  ])("rejects settings of %s that its tools couldn't use", (id, settings, field, message) => {
    installPlugin(test.actors.admin, id);
    const configure = () => configurePlugin(test.actors.admin, id, { settings });
    expect(configure).toThrow(expect.objectContaining({ fields: { [field]: [message] } }));
  });

  it("rejects a key that is bound to none of its addresses", () => {
    const { admin } = test.actors;
    const key = { provider: "other" as const, alias: "QUARTERDECK_KEY_HOOK" };
    const { id: elsewhere } = addKey(admin, { ...key, origin: "https://elsewhere.example.org" });
    installPlugin(admin, "webhook-notifier");
    const settings = { address: "https://hooks.example.org/x", token: elsewhere };
    expect(() => configurePlugin(admin, "webhook-notifier", { settings })).toThrow(
      expect.objectContaining({
        fields: {
          token: [
            "The key QUARTERDECK_KEY_HOOK can only be sent to https://elsewhere.example.org, not to https://hooks.example.org.",
          ],
        },
      }),
    );
  });

  it("stays inactive until its required settings are set, and says so", async () => {
    installPlugin(test.actors.admin, "webhook-notifier");
    expect(offered()).not.toContain("webhook-notifier.send");
    expect(listInstalled(test.actors.viewer)[0]?.problem).toBe(
      "Webhook Notifier needs a setting: Webhook address. An admin can configure it under Extensions.",
    );
    expect(listInstalled(test.actors.admin)[0]?.problem).toBe(
      "Webhook Notifier needs a setting: Webhook address. Configure it.",
    );
    configurePlugin(test.actors.admin, "webhook-notifier", {
      settings: { address: "https://hooks.example.org/x" },
    });
    expect(offered()).toContain("webhook-notifier.send");
  });

  it("accepts keys only by reference and never returns a value", () => {
    process.env.QUARTERDECK_KEY_HOOK = "the-very-secret";
    try {
      const origin = "https://hooks.example.org";
      const key = addKey(test.actors.admin, { provider: "other", alias: "QUARTERDECK_KEY_HOOK", origin });
      installPlugin(test.actors.admin, "webhook-notifier");
      configurePlugin(test.actors.admin, "webhook-notifier", { settings: { token: key.id } });
      const everything = JSON.stringify([
        readConfig(test.actors.admin, "webhook-notifier"),
        listInstalled(test.actors.admin),
        trail(),
      ]);
      expect(everything).toContain(key.id);
      expect(everything).not.toContain("the-very-secret");
    } finally {
      delete process.env.QUARTERDECK_KEY_HOOK;
    }
  });

  it("can't reach undeclared hosts, also by a redirect", async () => {
    const other = await startMockServer((_, response) => void response.end("[]"));
    const host = await startMockServer(
      (_, response) => void response.writeHead(302, { location: `${other.origin}/issues` }).end(),
    );
    try {
      setEnv({
        NODE_ENV: "test",
        LOG_LEVEL: "silent",
        DATA_DIR: test.folder,
        EGRESS_ALLOW: `127.0.0.1:${host.port},127.0.0.1:${other.port}`,
      });
      installPlugin(test.actors.admin, "github-issues");
      configurePlugin(test.actors.admin, "github-issues", { settings: { address: host.origin } });
      expect(await call("github-issues.list", { repository: "a/b" })).toMatchObject({
        ok: false,
        error: expect.stringContaining("was refused"),
      });
      expect([host.requests.length, other.requests.length]).toEqual([1, 0]);
    } finally {
      await Promise.all([host.close(), other.close()]);
    }
  });

  it("is disabled until an admin accepts a new version's requests", () => {
    installPlugin(test.actors.admin, "web-scraping");
    // As if it had been installed when it asked for one host alone.
    const consent = {
      version: "0.9.0",
      hosts: ["example.org"],
      keys: [],
      effects: ["outside"],
      agreedBy: "usr_owner",
      agreedAt: 1,
    };
    transaction((tx) => tx.update(pluginInstallations).set({ consent }).run());
    expect(offered()).not.toContain("web-scraping.text");
    expect(listInstalled(test.actors.admin)[0]).toMatchObject({
      version: "0.9.0",
      agreedBy: "usr_owner",
      pending: { hosts: ["*"], keys: [], effects: [] },
      problem: expect.stringContaining("requests new permissions"),
    });
    installPlugin(test.actors.admin, "web-scraping", "1.0.0");
    expect(offered()).toContain("web-scraping.text");
    expect(listInstalled(test.actors.admin)[0]).toMatchObject({ agreedBy: "usr_admin", pending: null });
    expect(trail().at(-1)).toMatchObject({ action: "extension.agreed", details: { hosts: ["*"] } });
  });

  it("restores its settings within 30 days of being uninstalled", async () => {
    const { admin } = test.actors;
    const day = 24 * 60 * 60_000;
    const start = Date.now();
    const zone = () => readConfig(admin, "date-time").values.zone;
    const forget = () => forgetPluginSettingsJob.run({} as never);
    installPlugin(admin, "date-time");
    configurePlugin(admin, "date-time", { settings: { zone: "Asia/Tokyo" } });
    uninstallPlugin(admin, "date-time");
    setClock(() => start + 29 * day);
    await forget();
    installPlugin(admin, "date-time");
    expect(zone()).toBe("Asia/Tokyo");
    uninstallPlugin(admin, "date-time");
    setClock(() => start + 60 * day);
    await forget();
    installPlugin(admin, "date-time");
    expect(zone()).toBe("UTC");
    expect(listPlugins(admin).find(({ id }) => id === "date-time")?.downloads).toBe(3);
  });
});

describe("the marketplace", () => {
  const ids = (filters: Parameters<typeof listPlugins>[1]) =>
    listPlugins(test.actors.viewer, filters).map(({ id }) => id);

  it("filters by category, words, price and featured", () => {
    expect(ids({ category: "web" })).toEqual(["web-scraping", "feed-reader", "web-search"]);
    expect(ids({ search: "GITHUB issues" })).toEqual(["github-issues"]);
    expect(ids({ price: "premium" })).toEqual([]);
    expect(listPlugins(test.actors.viewer, { featured: true }).every(({ featured }) => featured)).toBe(true);
  });

  it("sorts by this installation's downloads and ratings", () => {
    installPlugin(test.actors.admin, "pii-redactor");
    ratePlugin(test.actors.member, "feed-reader", 5);
    expect(ids({ sort: "popular" })[0]).toBe("pii-redactor");
    expect(ids({ sort: "rated" })[0]).toBe("feed-reader");
    expect(listPlugins(test.actors.viewer, { search: "calculator" })[0]).toMatchObject({
      rating: null,
      downloads: 0,
    });
  });

  it("has at least two plugins in each of the six categories", () => {
    const counts = countByCategory(test.actors.viewer);
    expect(Object.keys(counts)).toHaveLength(6);
    for (const count of Object.values(counts)) expect(count).toBeGreaterThanOrEqual(2);
  });
});
