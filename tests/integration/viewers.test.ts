import { parseHTML } from "linkedom";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type PlainPage, plainBrowser } from "../support/forms";
import { startServer, type TestServer } from "../support/server";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const pageOf = async (path: string, as: "viewer" | "member") =>
  (await server.ask(path, { as, headers: { accept: "text/html" } })).text();

it.each([
  ["/chat", /name="content"|value="send"/, "Viewers can&#x27;t chat with models"],
  ["/rag/check?dialog=add", /<dialog|>Run Check</, "Retrieval Check"],
  ["/workflows/runs", /Run a workflow, or wait/, "once a workflow is started by a member"],
])("%s offers a viewer nothing that only others can do", async (path, offer, instead) => {
  expect(await pageOf(path, "member")).toMatch(offer);
  const page = await pageOf(path, "viewer");
  expect(page).not.toMatch(offer);
  expect(page).toContain(instead);
});

const main = ({ document }: PlainPage) => document.querySelector("main")?.textContent;

it("shows a viewer the documents, and why nothing can be added or set", async () => {
  const adding = await plainBrowser(server, "viewer").open("/rag?dialog=ingest");
  expect(main(adding)).toContain("No documents yet");
  expect(adding.document.querySelector("dialog")).toBeNull();
  expect(main(adding)).toContain("Only members, admins and owners can ingest documents.");
  const settings = await plainBrowser(server, "viewer").open("/rag?panel=settings");
  expect(main(settings)).toContain("Only admins and owners can change the organization's settings.");
  expect(settings.document.querySelector("[value=save-settings]")).toBeNull();
});

it.each([
  ["a document", "/rag/ID?dialog=delete", "details > summary[aria-label='More actions']"],
  ["categories", "/rag/categories?dialog=new", "a[href*='dialog=new']"],
  ["personas", "/personas?dialog=new", "a[href*='dialog=new'], a[href*='dialog=edit']"],
])("shows a viewer %s without a way to change it, nor its dialog", async (_, path, offers) => {
  await server.ask("/api/personas", { as: "member", json: { name: "Seen" } });
  const made = await server.ask("/api/rag/ingest", { as: "member", json: { title: "Seen", text: "Seen." } });
  const address = path.replace("ID", ((await made.json()) as { id: string }).id);
  const open = async (as: "viewer" | "member") => {
    const { document } = await plainBrowser(server, as).open(address);
    return ["dialog", offers].map((selector) => document.querySelectorAll(selector).length > 0);
  };
  expect([await open("member"), await open("viewer")]).toEqual([
    [true, true],
    [false, false],
  ]);
});

it("lets a viewer download a document", async () => {
  const made = await server.ask("/api/rag/ingest", { as: "member", json: { title: "Log", text: "Calm." } });
  const { id } = (await made.json()) as { id: string };
  const { document } = await plainBrowser(server, "viewer").open(`/rag/${id}`);
  const link = [...document.querySelectorAll("a")].find(({ textContent }) => textContent === "Download");
  const file = await server.ask(link?.getAttribute("href") ?? "", { as: "viewer" });
  expect([file.status, await file.text()]).toEqual([200, "Calm."]);
});

it("says who can edit personas", async () => {
  const page = await plainBrowser(server, "viewer").open("/personas");
  expect(page.document.querySelector("article")?.textContent).toContain("Seen");
  expect(main(page)).toContain("Only members, admins and owners can edit personas.");
});

it("says who can add what the marketplace hasn't", async () => {
  expect(await pageOf("/extensions", "viewer")).toContain("Only admins and owners can install");
});

it("has the profile alone among the settings", async () => {
  const away = await server.ask("/settings", { as: "viewer", headers: { accept: "text/html" } });
  expect([away.status, away.headers.get("location")]).toEqual([302, "/settings/profile"]);
  const { document } = parseHTML(await pageOf("/settings/profile", "viewer"));
  // Tabs on narrow windows, groups on wide ones.
  const menus = [...document.querySelectorAll("nav[aria-label=Settings]")].map((menu) =>
    [...menu.querySelectorAll("a")].map(({ textContent }) => textContent),
  );
  expect(menus).toEqual([["Profile"], ["Profile"]]);
});
