import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type PlainPage, plainBrowser } from "../support/forms";
import { startServer, type TestServer } from "../support/server";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server?.close());

async function add(path: string, json: unknown): Promise<{ id: string }> {
  const made = await server.ask(path, { as: "owner", json });
  expect(made.ok, await made.clone().text()).toBe(true);
  return (await made.json()) as { id: string };
}

const links = ({ document }: PlainPage) =>
  [...document.querySelectorAll("main a")].map((link) => link.textContent);
const rows = ({ document }: PlainPage) =>
  [...document.querySelectorAll("main [data-row]")].map((row) => row.textContent?.replaceAll(/\s+/g, " "));

describe("a viewer of a new installation", () => {
  it.each([
    ["/prompts", "New Prompt", "No prompts yet"],
    ["/workflows", "New Workflow", "No workflows yet"],
    ["/personas", "New Persona", "No personas yet"],
  ])("is told on %s why there is no button", async (path, button, empty) => {
    const [viewer, member] = await Promise.all(
      (["viewer", "member"] as const).map((role) => plainBrowser(server, role).open(path)),
    );
    expect(viewer?.text).toContain(empty);
    expect(viewer && links(viewer)).not.toContain(button);
    expect(viewer?.text).toMatch(/Only members.* can (?:edit|create)/);
    expect(member && links(member)).toContain(button);
  });

  it("is told what runs are", async () => {
    const page = await plainBrowser(server, "viewer").open("/workflows/runs");
    expect(page.text).toContain("Runs are listed here once a workflow is started by a member");
  });
});

describe("an address that shows no page of its own", () => {
  const led = async (path: string, ask: Parameters<TestServer["ask"]>[1] = {}) => {
    const { status, headers } = await server.ask(path, {
      as: "member",
      ...ask,
      headers: { accept: "text/html", origin: server.baseUrl, ...ask.headers },
    });
    return [status, headers.get("location")];
  };

  it("of the settings leads to the tab that it names, with the rest of the address", async () => {
    const keys = "/settings?tab=keys&dialog=add-key";
    expect(await led(keys, { as: "owner" })).toEqual([302, "/settings/keys?dialog=add-key"]);
    expect(await led("/settings?tab=gone")).toEqual([302, "/settings/profile"]);
  });

  it("of a choice in the frame leads back to where it was made", async () => {
    const theme = { form: { theme: "light" } };
    expect(await led("/theme", theme)).toEqual([303, "/"]);
    expect(await led("/theme", { form: { ...theme.form, returnTo: "/rag?find=a" } })).toEqual([
      303,
      "/rag?find=a",
    ]);
    const model = { form: { model: "quarterdeck-offline", returnTo: "/chat" } };
    expect(await led("/model", model)).toEqual([303, "/chat"]);
    const invalid = { form: { model: "" } };
    const referer = `${server.baseUrl}/personas?find=b`;
    expect(await led("/model", { ...invalid, headers: { referer } })).toEqual([303, "/personas?find=b"]);
    expect(await led("/model", invalid), "a browser may name no page").toEqual([303, "/"]);
  });

  it("of a model's dialog opens none without a model", async () => {
    const page = await plainBrowser(server, "owner").open("/settings/providers/models");
    expect([page.status, page.document.querySelector("dialog")]).toEqual([200, null]);
  });
});

describe("with work of all kinds", () => {
  const manual = (name: string, type: string, config: object) => ({
    name,
    triggers: [{ id: "go", type: "manual", config: {} }],
    steps: [{ id: "say", type, config }],
    connections: [{ from: "go", to: "say" }],
  });
  const runsOf = async () =>
    (await (await server.ask("/api/runs?limit=9", { as: "owner" })).json()) as { state: string }[];
  let owner: ReturnType<typeof plainBrowser>;
  let good: { id: string };
  let bad: { id: string };
  beforeAll(async () => {
    owner = plainBrowser(server, "owner");
    good = await add("/api/workflows", manual("Says it", "log", { message: "Said" }));
    bad = await add("/api/workflows", manual("Breaks", "database_query", { sql: "SELECT * FROM gone" }));
    for (const { id } of [good, bad]) await add(`/api/workflows/run/${id}`, {});
    await vi.waitFor(async () => {
      const states = (await runsOf()).map(({ state }) => state);
      expect(states.sort()).toEqual(["failed", "succeeded"]);
    }, 60_000);
  });

  it("lists runs with who began them, how long they took and why they failed", async () => {
    const all = rows(await owner.open("/workflows/runs"));
    expect(all).toHaveLength(2);
    for (const row of all) expect(row).toMatch(/Manual.* · Owner Tester · .* · [\d.]+ m?s/);
    const [failed, ...others] = rows(await owner.open("/workflows/runs?state=failed"));
    expect(others).toEqual([]);
    expect(failed).toMatch(/^Breaks.* m?s · \w/);
    const none = await owner.open("/workflows/runs?state=waiting");
    expect(none.text).toContain("No runs found");
    expect(links(none)).toContain("Show All Runs");
  });

  it("lists a workflow's own runs", async () => {
    const own = (id: string) => owner.open(`/workflows/${id}`).then(rows);
    expect(await own(good.id)).toEqual([expect.stringMatching(/^Run by Owner Tester/)]);
    expect(await own(bad.id), "a failed run says why").toEqual([
      expect.stringMatching(/^Run by Owner Tester.*no such table/),
    ]);
  });

  it("opens the dialogs of a budget", async () => {
    const budget = { target: "organisation", unit: "money", period: "month", limit: 20 };
    const { id } = await add("/api/budgets", budget);
    const dialog = async (name: string) =>
      (await owner.open(`/usage/budgets?dialog=${name}&id=${id}`)).document.querySelector("dialog")
        ?.textContent;
    expect(await dialog("edit")).toMatch(/^Edit the Budget of the Organization/);
    expect(await dialog("exception")).toContain("Exception");
    expect(await dialog("delete")).toContain("Delete the budget of");
    const missing = await owner.open("/usage/budgets?dialog=edit&id=bud_gone");
    expect(missing.text).toContain("Budget not found");
  });

  it("says by what the usage is narrowed", async () => {
    const page = await owner.open("/usage?by=person&person=usr_owner");
    expect(page.text).toContain("Owner Tester");
  });
});
