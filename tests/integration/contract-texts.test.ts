import { parseHTML } from "linkedom";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Role } from "~/core/actor";
import { plainBrowser } from "../support/forms";
import { startServer, type TestServer } from "../support/server";
import { batchEnded, upload } from "../support/uploads";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

async function screen(path: string, as?: Role): Promise<Document> {
  const response = await server.ask(path, { headers: { accept: "text/html" }, ...(as && { as }) });
  return parseHTML(await response.text()).document;
}

const textOf = (node: Element | null) => node?.textContent?.replaceAll(/\s+/g, " ") ?? "";
const samplesOf = (document: Document) =>
  [...document.querySelectorAll("[aria-label='Sample entries'] > li")].map(textOf);

it("the landing page claims routing, sign-in and deployment as the specification does", async () => {
  const text = textOf((await screen("/")).querySelector("main"));
  expect(text).toContain("with fallbacks and cost optimization");
  expect(text).toContain("login via your hosting platform");
  expect(text).toContain("command to deploy");
  expect(text).toContain("its cost where the model has a price");
  expect(text).not.toContain("tool by tool");
  const document = await screen("/");
  expect(document.querySelectorAll("article")).toHaveLength(4);
  expect(document.querySelectorAll("footer")).toHaveLength(1);
  expect(Number(textOf(document.querySelector("dd")))).toBeGreaterThan(15);
  const start = [...document.querySelectorAll("a")].find((one) => textOf(one) === "Get Started");
  const { location } = await plainBrowser(server).open(start?.getAttribute("href") ?? "");
  expect(location).toMatch(/^\/login\b/);
});

it("an empty trail shows five samples under their badge, until the first entry", async () => {
  for (const path of ["/audit", "/audit?range=all"]) {
    const document = await screen(path, "owner");
    const samples = samplesOf(document);
    expect(samples, path).toHaveLength(5);
    for (const sample of samples) expect(sample).toMatch(/Sample$/);
    const text = textOf(document.querySelector("main"));
    expect(text).toContain("No audit logs found");
    expect(text).toContain("Audit logs will appear here as system activities occur");
  }
  const filtered = await screen("/audit?search=nothing", "owner");
  expect(samplesOf(filtered)).toEqual([]);
  expect(textOf(filtered.querySelector("main"))).toContain("Try adjusting your search or filters");
  expect(samplesOf(await screen("/", "owner"))).toHaveLength(5);

  const persona = { name: "Watch", systemPrompt: "x", defaultModel: "gpt-4o", mode: "default", tools: [] };
  expect((await server.ask("/api/personas", { as: "owner", json: persona })).status).toBe(201);
  // A member has no entry, but the organization does.
  for (const role of ["owner", "member"] as const)
    for (const path of ["/", "/audit"]) expect(samplesOf(await screen(path, role)), path).toEqual([]);
});

it("a workflow's card lists all of its numbered steps", async () => {
  const steps = Array.from({ length: 8 }, (_, at) => ({
    id: `s${at}`,
    type: "log",
    config: { message: "x" },
  }));
  const json = { name: "Long", triggers: [{ type: "manual", config: {} }], steps };
  expect((await server.ask("/api/workflows", { as: "member", json })).status).toBe(201);
  const card = (await screen("/workflows", "member")).querySelector("article");
  expect(card?.querySelectorAll("ol > li")).toHaveLength(8);
});

it("an open conversation has the heading AI Chat, and its title below", async () => {
  const messages = [{ role: "user", content: "How deep is the harbour?" }];
  const said = await server.ask("/api/ai/chat", {
    as: "member",
    json: { messages, model: "quarterdeck-offline" },
  });
  await said.text();
  const document = await screen(`/chat/${said.headers.get("x-conversation-id")}`, "member");
  expect([...document.querySelectorAll("main h1")].map(textOf)).toEqual(["AI Chat"]);
  expect([...document.querySelectorAll("main h2")].map(textOf)).toContain("How deep is the harbour?");
});

it("a ready document's badge can be seen", async () => {
  const { batchId } = await upload(server, [["tides.txt", "High water at noon."]]);
  await batchEnded(server, batchId);
  const row = [...(await screen("/rag", "member")).querySelectorAll("main li[data-row]")].find((one) =>
    textOf(one).includes("tides.txt"),
  );
  const badge = [...(row?.querySelectorAll("*") ?? [])].find((one) => textOf(one) === "Ready");
  expect(badge).toBeDefined();
  expect(badge?.closest(".sr-only")).toBeNull();
});

it("a viewer is told what the settings do, and not to review them", async () => {
  expect(
    (await server.ask("/api/user/settings", { as: "owner", method: "PUT", json: { ragEnabled: false } }))
      .status,
  ).toBe(200);
  const hint = async (role: Role) => textOf((await screen("/rag", role)).querySelector("main"));
  expect(await hint("owner")).toContain("RAG is off: documents are kept but not searched.Review Settings");
  expect(await hint("viewer")).toContain("RAG is off");
  expect(await hint("viewer")).not.toContain("Review Settings");
});

it("secrets in the data folder are shown as generated", async () => {
  const rows = [...(await screen("/settings/environment", "owner")).querySelectorAll("tr")].map(textOf);
  for (const name of ["AUDIT_KEY", "SESSION_SECRET"])
    expect(rows.find((row) => row.startsWith(name))).toContain("GeneratedData folder");
});

it("a plugin is rated by those who can have used it", async () => {
  const details = () => screen("/extensions?dialog=details&id=web-scraping", "owner");
  expect((await details()).querySelector("select[name=stars]")).toBeNull();
  const install = { as: "owner" as const, method: "POST" };
  expect((await server.ask("/api/plugins/web-scraping/install", install)).status).toBeLessThan(300);
  expect((await details()).querySelector("select[name=stars]")).not.toBeNull();
});

it("the contrast stands beside the colors", async () => {
  const cards = [...(await screen("/settings/branding", "owner")).querySelectorAll("section")];
  const card = cards.find((one) => textOf(one.querySelector("h2")) === "Colors & Theme");
  expect(textOf(card ?? null)).toContain("Contrast with the Background");
});

it("admins learn that the backups are the owner's", async () => {
  expect(textOf((await screen("/settings/system", "admin")).querySelector("#backups"))).toContain(
    "Only owners see the backups.",
  );
});

it("the system's page has what data takes, a backup on demand, and the restore behind a question", async () => {
  const space = await screen("/settings/system?storage=1", "owner");
  expect(textOf(space.querySelector("[aria-label='Space by kind of data']"))).toContain("Audit log");
  const browser = plainBrowser(server, "owner");
  await (await browser.open("/settings/system")).press("Back Up Now");
  const find = async () =>
    [...(await screen("/settings/system", "owner")).querySelectorAll("#backups [data-row]")].find((one) =>
      textOf(one).includes("-manual.tar.gz"),
    );
  await expect.poll(find).toBeDefined();
  const row = await find();
  const download = row?.querySelector("a[aria-label^=Download]")?.getAttribute("href") ?? "";
  const file = await server.ask(download, { as: "owner" });
  expect(file.headers.get("content-disposition")).toMatch(/filename="?backup-.*-manual\.tar\.gz/);
  const restore = row?.querySelector("a[aria-label^=Restore]")?.getAttribute("href") ?? "";
  const question = (await browser.open(restore)).document.querySelector("[role=alertdialog]");
  expect(textOf(question)).toContain("is verified first");
});

it("the navigation links to every screen, and marks the open one", async () => {
  const links = (document: Document) => [...document.querySelectorAll("aside nav[aria-label=Main] a")];
  expect(links(await screen("/", "owner")).map(textOf)).toEqual([
    "Dashboard",
    "AI Chat",
    "Workflows",
    "Extensions",
    "Personas",
    "RAG & Memory",
    "Audit",
    "Settings",
  ]);
  for (const [path, name] of [
    ["/personas", "Personas"],
    ["/audit", "Audit"],
    ["/settings/profile", "Settings"],
    ["/", "Dashboard"],
  ] as const) {
    const open = links(await screen(path, "owner")).filter((one) => one.hasAttribute("aria-current"));
    expect(open.map(textOf), path).toEqual([name]);
  }
});
