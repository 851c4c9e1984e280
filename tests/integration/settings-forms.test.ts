import { parseHTML } from "linkedom";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { plainBrowser, submissionOf } from "../support/forms";
import { people } from "../support/people";
import { startServer, type TestServer } from "../support/server";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

type Fields = Record<string, string | string[]>;

async function open(path: string) {
  const response = await server.ask(path, { as: "admin", headers: { accept: "text/html" } });
  expect(response.status).toBe(200);
  return parseHTML(await response.text()).document;
}

const fieldsOf = (document: Document, intent: string) => submissionOf(document, intent).fields;

const save = (path: string, form: Fields, as: "admin" | "member" = "admin") =>
  server.ask(path, { as, form, headers: { accept: "text/html" } });

async function refused(response: Response) {
  const { document } = parseHTML(await response.text());
  const control = (name: string) => document.querySelector(`[name="${name}"]`);
  const described = (name: string) =>
    (control(name)?.getAttribute("aria-describedby") ?? "")
      .split(" ")
      .map((id) => document.getElementById(id)?.textContent)
      .join(" | ");
  return { status: response.status, page: document.body.textContent ?? "", control, described, document };
}

const read = async (path: string) =>
  (await (await server.ask(path, { as: "admin" })).json()) as Record<string, unknown>;

describe("the branding form", () => {
  const PATH = "/settings/branding";

  it("has the three cards with every field", async () => {
    const document = await open(PATH);
    const cards = [...document.querySelectorAll("form section h2")].map(({ textContent }) => textContent);
    expect(cards).toEqual(["Brand Identity", "Colors & Theme", "Assets & Custom Styling"]);
    const fields = Object.keys(fieldsOf(document, "save"));
    expect(fields).toEqual(expect.arrayContaining(["appName", "primaryColor", "borderRadius", "logoUrl"]));
    expect(fields).toEqual(expect.arrayContaining(["customCss", "fontFamily", "faviconUrl"]));
  });

  it("saves what was changed, and says so", async () => {
    const { glassEffect: _, ...fields } = fieldsOf(await open(PATH), "save");
    const response = await save(PATH, { ...fields, appName: "Bridge", borderRadius: "12", tagline: "" });
    expect([response.status, response.headers.get("location")]).toEqual([303, PATH]);
    expect(await read("/api/branding")).toMatchObject({
      appName: "Bridge",
      borderRadius: 12,
      glassEffect: false,
      tagline: "",
      theme: "dark",
      version: 1,
    });
    expect((await open(PATH)).title).toContain("Bridge");
  });

  it("is shown again with what was typed where a field isn't valid", async () => {
    const fields = fieldsOf(await open(PATH), "save");
    const answer = await refused(await save(PATH, { ...fields, appName: "", tagline: "Kept" }));
    expect(answer.status).toBe(400);
    expect(answer.described("appName")).toContain("Enter text");
    expect(answer.control("tagline")?.getAttribute("value")).toBe("Kept");
  });

  it("refuses a stale save, shows the newer values and keeps the input", async () => {
    const fields = fieldsOf(await open(PATH), "save");
    await server.ask("/api/branding", { as: "owner", method: "PUT", json: { appName: "Deck" } });
    const answer = await refused(await save(PATH, { ...fields, tagline: "Mine" }));
    expect(answer.status).toBe(409);
    expect(answer.page).toContain("Failed to save branding settings");
    expect(answer.page).toContain("Branding & Theme changed since you opened it: App name.");
    expect(answer.described("appName")).toContain('Changed to "Deck" since you opened it');
    expect(answer.control("tagline")?.getAttribute("value")).toBe("Mine");
    // Saved again, with the reason read.
    const again = fieldsOf(answer.document as unknown as Document, "save");
    expect((await save(PATH, again)).status).toBe(303);
    expect(await read("/api/branding")).toMatchObject({ appName: "Bridge", tagline: "Mine" });
  });

  it("goes back to the defaults once that is confirmed", async () => {
    const response = await save(PATH, fieldsOf(await open(`${PATH}?dialog=reset`), "reset"));
    expect(response.status).toBe(303);
    expect(await read("/api/branding")).toMatchObject({ appName: "Quarterdeck", borderRadius: 8 });
    expect((await save(PATH, { intent: "reset" }, "member")).status).toBe(403);
  });
});

describe("the advanced form", () => {
  const PATH = "/settings/advanced";

  it("has a card for each group", async () => {
    const document = await open(PATH);
    const cards = [...document.querySelectorAll("form section h2")].map(({ textContent }) => textContent);
    expect(cards).toEqual(["Performance", "Security", "AI Configuration", "Monitoring", "Notifications"]);
    expect(fieldsOf(document, "save")).toMatchObject({
      "ai.timeout": "30000",
      "security.sessionTimeout": "3600",
    });
  });

  it("saves the groups that were changed, and those alone", async () => {
    const { "monitoring.healthChecks": _, ...fields } = fieldsOf(await open(PATH), "save");
    expect((await save(PATH, { ...fields, "ai.timeout": "20000" })).status).toBe(303);
    expect(await read("/api/settings/advanced")).toMatchObject({
      ai: { timeout: 20_000, retryAttempts: 3 },
      monitoring: { healthChecks: false, enableMetrics: true },
      versions: { ai: 1, monitoring: 1, security: 0, performance: 0, notifications: 0 },
    });
  });

  it("names each wrong field at its control", async () => {
    const fields = fieldsOf(await open(PATH), "save");
    const answer = await refused(await save(PATH, { ...fields, "ai.timeout": "7", "ai.retryAttempts": "" }));
    expect(answer.status).toBe(400);
    expect(answer.described("ai.timeout")).toContain("Choose a number from 100 to 600000 ms");
    expect(answer.described("ai.retryAttempts")).toContain("Choose a number from 0 to 5");
    expect(answer.control("ai.timeout")?.getAttribute("value")).toBe("7");
  });

  it("refuses a stale save of a group that was changed in the meantime", async () => {
    const fields = fieldsOf(await open(PATH), "save");
    const json = { ai: { retryAttempts: 1 } };
    await server.ask("/api/settings/advanced", { as: "owner", method: "PUT", json });
    const answer = await refused(await save(PATH, { ...fields, "ai.timeout": "10000" }));
    expect(answer.status).toBe(409);
    expect(answer.page).toContain("Failed to save advanced settings");
    expect(answer.described("ai.retryAttempts")).toContain("Changed to 1 since you opened it");
    expect(answer.control("ai.timeout")?.getAttribute("value")).toBe("10000");
    // Another group's save isn't in its way.
    const security = {
      ...fieldsOf(await open(PATH), "save"),
      "versions.ai": "0",
      "security.sessionTimeout": "600",
    };
    expect((await save(PATH, security)).status).toBe(303);
  });
});

describe("settings forms on other screens", () => {
  it("shows the conflict of a stale save of RAG settings beside its fields", async () => {
    const fields = fieldsOf(await open("/rag?panel=settings"), "save-settings");
    await server.ask("/api/user/settings", { as: "owner", method: "PUT", json: { chunkTokens: 500 } });
    const answer = await refused(await save("/rag?panel=settings", { ...fields, chunkOverlap: "50" }));
    expect(answer.status).toBe(409);
    expect(answer.described("chunkTokens")).toContain("Changed to 500 since you opened it");
    expect(answer.control("chunkOverlap")?.getAttribute("value")).toBe("50");
  });

  it("refuses a stale save of the routing policy with a message", async () => {
    const fields = fieldsOf(await open("/settings/providers"), "save-policy");
    await server.ask("/api/settings/routing", { as: "owner", method: "PUT", json: { policy: "fastest" } });
    const path = "/settings/providers/models";
    const response = await save(path, { ...fields, policy: "cheapest" });
    expect(response.status).toBe(303);
    expect(await read("/api/settings/routing")).toEqual({ policy: "fastest", defaultModel: "" });
    const again = { ...fieldsOf(await open("/settings/providers"), "save-policy"), policy: "cheapest" };
    expect((await save(path, again)).status).toBe(303);
    expect(await read("/api/settings/routing")).toEqual({ policy: "cheapest", defaultModel: "" });
  });

  it("refuses a stale save of a profile, and takes it once that was said", async () => {
    const path = "/settings/profile";
    const fields = fieldsOf(await open(path), "save-profile");
    expect((await save(path, { ...fields, lastName: "King" })).status).toBe(303);
    const answer = await refused(await save(path, { ...fields, lastName: "Lovelace" }));
    expect(answer.status).toBe(409);
    expect(answer.page).toMatch(/profile changed since you opened it.*differs in: Last name/);
    expect(answer.control("lastName")?.getAttribute("value")).toBe("Lovelace");
    expect((await open(path)).querySelector("[name=lastName]")?.getAttribute("value")).toBe("King");
    const again = fieldsOf(answer.document as unknown as Document, "save-profile");
    expect((await save(path, again)).status).toBe(303);
    expect((await open(path)).querySelector("[name=lastName]")?.getAttribute("value")).toBe("Lovelace");
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
    const chosen = { name: "Build server", models: "gpt-4o\nclaude-sonnet-4", requestsPerMinute: "0" };
    const unscoped = await dialog.submit("create-token", chosen);
    expect(unscoped.status).toBe(400);
    expect(unscoped.text).toContain("Select at least one permission");
    const scopes = ["personas.write", "gateway.use"];
    const refused = await unscoped.submit("create-token", { scopes });
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
