import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type PlainPage, plainBrowser } from "../support/forms";
import { people } from "../support/people";
import { startServer, type TestServer } from "../support/server";

let server: TestServer;
let open: (path: string) => Promise<PlainPage>;
beforeAll(async () => {
  server = await startServer();
  ({ open } = plainBrowser(server, "admin"));
});
afterAll(() => server.close());

const shownIn = (page: PlainPage, name: string) => page.control(name)?.getAttribute("value");
const cardsOf = ({ document }: PlainPage) =>
  [...document.querySelectorAll("form section h2")].map(({ textContent }) => textContent);
const read = async (path: string) =>
  (await (await server.ask(path, { as: "admin" })).json()) as Record<string, unknown>;

describe("the branding form", () => {
  const PATH = "/settings/branding";

  it("has the three cards with every field", async () => {
    const page = await open(PATH);
    expect(cardsOf(page)).toEqual(["Brand Identity", "Colors & Theme", "Assets & Custom Styling"]);
    const fields = Object.keys(page.fields("save"));
    expect(fields).toEqual(expect.arrayContaining(["appName", "primaryColor", "borderRadius", "logoUrl"]));
    expect(fields).toEqual(expect.arrayContaining(["customCss", "fontFamily", "faviconUrl"]));
  });

  it("saves what was changed, and says so", async () => {
    const changed = { appName: "Bridge", borderRadius: "12", tagline: "", glassEffect: undefined };
    const saved = await (await open(PATH)).submit("save", changed);
    expect([saved.status, saved.location]).toEqual([303, PATH]);
    expect(await read("/api/branding")).toMatchObject({
      appName: "Bridge",
      borderRadius: 12,
      glassEffect: false,
      tagline: "",
      theme: "dark",
      version: 1,
    });
    expect((await saved.follow()).document.title).toContain("Bridge");
  });

  it("is shown again with what was typed where a field isn't valid", async () => {
    const refused = await (await open(PATH)).submit("save", { appName: "", tagline: "Kept" });
    expect(refused.status).toBe(400);
    expect(refused.described("appName")).toContain("Enter text");
    expect(shownIn(refused, "tagline")).toBe("Kept");
  });

  it("refuses a stale save, shows the newer values and keeps the input", async () => {
    const page = await open(PATH);
    await server.ask("/api/branding", { as: "owner", method: "PUT", json: { appName: "Deck" } });
    const refused = await page.submit("save", { tagline: "Mine" });
    expect(refused.status).toBe(409);
    expect(refused.text).toContain("Failed to save branding settings");
    expect(refused.text).toContain("Branding & Theme changed since you opened it: App name.");
    expect(refused.described("appName")).toContain('Changed to "Deck" since you opened it');
    expect(shownIn(refused, "tagline")).toBe("Mine");
    // Saved again, with the reason read.
    expect((await refused.submit("save")).status).toBe(303);
    expect(await read("/api/branding")).toMatchObject({ appName: "Bridge", tagline: "Mine" });
  });

  it("goes back to the defaults once that is confirmed", async () => {
    expect((await (await open(`${PATH}?dialog=reset`)).submit("reset")).status).toBe(303);
    expect(await read("/api/branding")).toMatchObject({ appName: "Quarterdeck", borderRadius: 8 });
    expect((await server.ask(PATH, { as: "member", form: { intent: "reset" } })).status).toBe(403);
  });
});

describe("the advanced form", () => {
  const PATH = "/settings/advanced";

  it("has a card for each group", async () => {
    const page = await open(PATH);
    const cards = ["AI Configuration", "Security", "Notifications", "Monitoring", "Performance"];
    expect(cardsOf(page)).toEqual(cards);
    expect(page.fields("save")).toMatchObject({ "ai.timeout": "30000", "security.sessionTimeout": "3600" });
  });

  it("saves the groups that were changed, and those alone", async () => {
    const changed = { "ai.timeout": "20000", "monitoring.healthChecks": undefined };
    expect((await (await open(PATH)).submit("save", changed)).status).toBe(303);
    expect(await read("/api/settings/advanced")).toMatchObject({
      ai: { timeout: 20_000, retryAttempts: 3 },
      monitoring: { healthChecks: false, enableMetrics: true },
      versions: { ai: 1, monitoring: 1, security: 0, performance: 0, notifications: 0 },
    });
  });

  it("names each wrong field at its control", async () => {
    const wrong = { "ai.timeout": "7", "ai.retryAttempts": "" };
    const refused = await (await open(PATH)).submit("save", wrong);
    expect(refused.status).toBe(400);
    expect(refused.described("ai.timeout")).toContain("Choose a number from 100 to 600000 ms");
    expect(refused.described("ai.retryAttempts")).toContain("Choose a number from 0 to 5");
    expect(shownIn(refused, "ai.timeout")).toBe("7");
    // A closed section opens for its wrong field.
    const isOpen = (page: PlainPage) =>
      page.control("performance.rateLimit")?.closest("details")?.hasAttribute("open");
    const hidden = await refused.submit("save", { "performance.rateLimit": "-1" });
    expect([isOpen(refused), isOpen(hidden)]).toEqual([false, true]);
  });

  it("refuses a stale save of a group that was changed in the meantime", async () => {
    const page = await open(PATH);
    const json = { ai: { retryAttempts: 1 } };
    await server.ask("/api/settings/advanced", { as: "owner", method: "PUT", json });
    const refused = await page.submit("save", { "ai.timeout": "10000" });
    expect(refused.status).toBe(409);
    expect(refused.text).toContain("Failed to save advanced settings");
    expect(refused.described("ai.retryAttempts")).toContain("Changed to 1 since you opened it");
    expect(shownIn(refused, "ai.timeout")).toBe("10000");
    // Another group's save isn't in its way.
    const security = { "versions.ai": "0", "security.sessionTimeout": "600" };
    expect((await (await open(PATH)).submit("save", security)).status).toBe(303);
  });

  it("says what a shorter retention of conversations deletes, and saves it once that is confirmed", async () => {
    const json = { messages: [{ role: "user", content: "Hello" }], model: "quarterdeck-offline" };
    await (await server.ask("/api/ai/chat", { as: "member", json })).text();
    const old = new Database(join(server.dataDir, "quarterdeck.sqlite"));
    old.prepare("UPDATE conversations SET updated_at = updated_at - ?").run(40 * 86_400_000);
    old.close();
    expect(await read("/api/settings/retention?days=30")).toEqual({ conversations: 1, comparisons: 0 });
    const retention = "security.conversationRetention";
    const refused = await (await open(PATH)).submit("save", { [retention]: "30" });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain(
      "Last used more than 30 days ago, and deleted in the coming night: 1 conversation.",
    );
    const other = await refused.submit("save", { [retention]: "20", confirmedRetention: "30" });
    expect(other.text).toContain("Last used more than 20 days ago");
    expect((await other.submit("save", { confirmedRetention: "20" })).status).toBe(303);
    expect(await read("/api/settings/advanced")).toMatchObject({ security: { conversationRetention: 20 } });
    // A longer one deletes less.
    expect((await (await open(PATH)).submit("save", { [retention]: "30" })).status).toBe(303);
  });
});

describe("settings forms on other screens", () => {
  it("shows the conflict of a stale save of RAG settings beside its fields", async () => {
    const page = await open("/rag?panel=settings");
    await server.ask("/api/user/settings", { as: "owner", method: "PUT", json: { chunkTokens: 500 } });
    const refused = await page.submit("save-settings", { chunkOverlap: "50" });
    expect(refused.status).toBe(409);
    expect(refused.described("chunkTokens")).toContain("Changed to 500 since you opened it");
    expect(shownIn(refused, "chunkOverlap")).toBe("50");
  });

  it("refuses a stale save of the routing policy with a message", async () => {
    const path = "/settings/providers";
    const stale = await open(path);
    await server.ask("/api/settings/routing", { as: "owner", method: "PUT", json: { policy: "fastest" } });
    expect((await stale.submit("save-policy", { policy: "cheapest" })).status).toBe(303);
    expect(await read("/api/settings/routing")).toEqual({
      policy: "fastest",
      defaultModel: "",
      imageModel: "",
    });
    expect((await (await open(path)).submit("save-policy", { policy: "cheapest" })).status).toBe(303);
    expect(await read("/api/settings/routing")).toEqual({
      policy: "cheapest",
      defaultModel: "",
      imageModel: "",
    });
  });

  it("refuses a stale save of a profile, and takes it once that was said", async () => {
    const path = "/settings/profile";
    const page = await open(path);
    expect((await page.submit("save-profile", { lastName: "King" })).status).toBe(303);
    const refused = await page.submit("save-profile", { lastName: "Lovelace" });
    expect(refused.status).toBe(409);
    expect(refused.text).toMatch(/profile changed since you opened it.*differs in: Last name/);
    expect(shownIn(refused, "lastName")).toBe("Lovelace");
    expect(shownIn(await open(path), "lastName")).toBe("King");
    expect((await refused.submit("save-profile")).status).toBe(303);
    expect(shownIn(await open(path), "lastName")).toBe("Lovelace");
  });
});

describe("the profile", () => {
  it("changes a password with the current one", async () => {
    const { email, password } = people.member;
    const chosen = "a fine long password";
    const dialog = await plainBrowser(server, "member").open("/settings/profile?dialog=password");
    const refused = await dialog.submit("change-password", {
      currentPassword: "not this one",
      newPassword: chosen,
    });
    expect([refused.status, refused.described("currentPassword")]).toEqual([
      400,
      expect.stringContaining("Incorrect current password"),
    ]);
    const changed = await refused.submit("change-password", {
      currentPassword: password,
      newPassword: chosen,
    });
    expect(changed.status).toBe(303);
    await expect(server.signIn(email, password)).rejects.toThrow(/couldn't sign in/);
    expect(await server.signIn(email, chosen)).toContain("qd_session");
  });

  it("shows a new token once, and revokes it", async () => {
    const browser = plainBrowser(server, "admin");
    const dialog = await browser.open("/settings/profile?dialog=new-token");
    const chosen = {
      name: "Build server",
      preset: "custom",
      models: "gpt-4o\nclaude-sonnet-4",
      requestsPerMinute: "0",
    };
    const unscoped = await dialog.submit("create-token", { ...chosen, requestsPerMinute: "" });
    expect(unscoped.status).toBe(400);
    expect(unscoped.text).toContain("Select at least one permission");
    const scopes = ["personas.write", "gateway.use"];
    const refused = await unscoped.submit("create-token", { scopes, requestsPerMinute: "0" });
    expect(refused.status).toBe(400);
    expect(refused.described("requestsPerMinute")).toContain("Use at least 1");
    expect(refused.fields("create-token")).toMatchObject({ ...chosen, scopes });
    const shown = await refused.submit("create-token", { requestsPerMinute: "60" });
    expect(shown.status).toBe(200);
    expect(shown.text).toContain(`${server.baseUrl}/v1`);
    const token = shown.document.querySelector("dialog input[readonly]")?.getAttribute("value") ?? "";
    const userOf = async () => (await server.ask("/api/auth/user", { token })).status;
    expect(await userOf()).toBe(200);

    const list = await browser.open("/settings/profile");
    expect(list.text).toContain("gpt-4o, claude-sonnet-4 · 60 requests per minute");
    expect(list.document.documentElement.outerHTML).not.toContain(token);
    const link = list.document.querySelector('a[aria-label="Revoke Build server"]');
    const revoked = await (await browser.open(link?.getAttribute("href") ?? "")).press("Revoke");
    expect(revoked.text).toContain("Token revoked");
    expect(await userOf()).toBe(401);
  });

  it("leaves the organization after a confirmation, and is signed out", async () => {
    const browser = plainBrowser(server, "viewer");
    const asked = await browser.open("/settings/profile?dialog=leave");
    expect(asked.document.querySelector("dialog")?.textContent).toContain(
      "Only an admin can invite you again",
    );
    const left = await asked.submit("leave");
    expect([left.status, left.location]).toEqual([303, "/"]);
    expect((await left.follow()).text).toContain("You left the organization");
    const away = await browser.open("/chat");
    expect([away.status, away.location]).toEqual([302, expect.stringMatching(/login\?returnTo=%2Fchat/)]);
  });
});
