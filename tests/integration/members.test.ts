import { afterAll, beforeAll, expect, it } from "vitest";
import { plainBrowser } from "../support/forms";
import { type Ask, startServer, type TestServer } from "../support/server";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const HERE = "/settings/members";
const page = async (search = "") =>
  (await (await server.ask(`${HERE}${search}`, { as: "owner" })).text()).replaceAll("<!-- -->", "");
const post = (form: NonNullable<Ask["form"]>, search = "") =>
  server.ask(`${HERE}${search}`, { as: "owner", method: "POST", form, headers: { origin: server.baseUrl } });
const dialogOf = (html: string) => /<dialog[\s\S]*?<\/dialog>/.exec(html)?.[0] ?? "";
const seenBy = async (as: "owner" | "admin" | "viewer", id: string) =>
  (await server.ask(`/api/rag/documents/${id}`, { as })).status;
const json = async <T>(response: Response) => (await response.json()) as T;

async function ingest(as: "member" | "admin", title: string, more: object = {}): Promise<string> {
  const made = await server.ask("/api/rag/ingest", { as, json: { text: `About ${title}.`, title, ...more } });
  return (await json<{ id: string }>(made)).id;
}

it("the team's title and time zone are changed on the card, without script", async () => {
  expect(await page()).toContain("Leave blank for the server&#x27;s.");
  const saved = await post({
    intent: "organisation",
    teamTitle: "Bridge crew",
    timeZone: "Pacific/Auckland",
    version: "0",
  });
  expect(saved.status).toBe(303);
  expect(await page()).toContain(">Bridge crew</p>");
  const refused = await post({
    intent: "organisation",
    teamTitle: "Bridge crew",
    timeZone: "Nowhere",
    version: "1",
  });
  expect([refused.status, await refused.text()]).toEqual([
    400,
    expect.stringContaining("Choose a time zone such as Europe/Berlin"),
  ]);
  const stale = await server.ask("/api/organisation", {
    as: "admin",
    method: "PUT",
    json: { teamTitle: "Other", version: 0 },
  });
  expect(stale.status).toBe(409);
  expect(await json(await server.ask("/api/organisation", { as: "viewer" }))).toEqual({
    teamTitle: "Bridge crew",
    timeZone: "Pacific/Auckland",
    version: 1,
  });
});

it("a group is made without script, and a document shared with it is found by its members", async () => {
  const id = await ingest("member", "Layoffs", { visibility: "named" });
  const made = await post({ intent: "add-group", name: "Crew", members: "usr_viewer" }, "?dialog=group");
  expect(made.status).toBe(303);
  const [group] = await json<{ id: string }[]>(await server.ask("/api/groups", { as: "viewer" }));
  const find = async (as: "viewer" | "admin") => {
    const response = await server.ask("/api/rag/search", { as, json: { query: "layoffs" } });
    const { results } = await json<{ results: { metadata: { title: string } }[] }>(response);
    return results.map(({ metadata }) => metadata.title);
  };
  expect([await seenBy("viewer", id), await find("viewer")]).toEqual([404, []]);
  const share = await server.ask(`/rag/${id}?dialog=access`, {
    as: "member",
    form: { intent: "access", visibility: "named", readers: group?.id ?? "" },
    headers: { origin: server.baseUrl },
  });
  expect(share.status).toBe(303);
  expect([await seenBy("viewer", id), await seenBy("admin", id)]).toEqual([200, 404]);
  await expect.poll(() => find("viewer")).toEqual(["Layoffs"]);
  expect(await find("admin")).toEqual([]);
  const detail = await server.ask(`/api/rag/documents/${id}`, { as: "member" });
  expect(await json(detail)).toMatchObject({ readers: [{ id: group?.id, name: "Crew", kind: "group" }] });

  const edited = await post({
    intent: "edit-group",
    id: group?.id ?? "",
    name: "Crew",
    members: "usr_admin",
  });
  expect(edited.status).toBe(303);
  expect([await seenBy("viewer", id), await seenBy("admin", id)]).toEqual([404, 200]);
  expect([await find("viewer"), await find("admin")]).toEqual([[], ["Layoffs"]]);
  expect((await post({ intent: "delete-group", id: group?.id ?? "" })).status).toBe(303);
  expect(await seenBy("admin", id)).toBe(404);
});

it("a group needs a name, and keeps who was chosen", async () => {
  const dialog = await plainBrowser(server, "owner").open(`${HERE}?dialog=group`);
  const refused = await dialog.submit("add-group", { members: "usr_viewer" });
  expect([refused.status, refused.described("name")]).toEqual([
    400,
    expect.stringContaining("Enter a group name"),
  ]);
  const added = await (await refused.submit("add-group", { name: "Night shift" })).follow();
  expect(added.text).toContain("1 member: Viewer Tester");
});

it("a removal asks for a decision on the data of the member, without script", async () => {
  const open = await ingest("member", "Menu");
  const dialog = dialogOf(await page("?dialog=remove&id=usr_member"));
  for (const words of ["Documents visible to everyone (1)", "Documents visible to specific people (1)"])
    expect(dialog).toContain(words);
  expect(dialog).not.toContain("Layoffs");
  const undecided = await post({ intent: "remove", id: "usr_member", documents: "delete" });
  expect([undecided.status, dialogOf(await undecided.text())]).toEqual([400, expect.anything()]);
  const decided = { documents: "usr_owner", restrictedDocuments: "usr_admin" };
  expect((await post({ intent: "remove", id: "usr_member", ...decided })).status).toBe(303);
  expect(await json(await server.ask(`/api/rag/documents/${open}`, { as: "viewer" }))).toMatchObject({
    createdBy: { id: "usr_owner" },
  });
  expect(await page()).not.toContain("member@example.org");
});

it("a removal over the API that can't be decided on leaves the member, and one that can does both", async () => {
  const id = await ingest("admin", "More layoffs", { visibility: "named" });
  const remove = (query: string) =>
    server.ask(`/api/members/usr_admin?${query}`, { as: "owner", method: "DELETE" });
  const owned = await server.ask("/api/members/usr_admin/owned", { as: "owner" });
  expect(await json(owned)).toMatchObject([{ kind: "restrictedDocuments", count: 2, recipients: [] }]);
  // No one transfers restricted documents to themselves.
  for (const query of [
    "",
    "documents=delete",
    "restrictedDocuments=usr_owner",
    "restrictedDocuments=usr_viewer",
  ])
    expect([query, (await remove(query)).status]).toEqual([query, 400]);
  expect((await server.ask("/api/members/usr_admin", { as: "owner" })).status).toBe(200);
  expect((await remove("restrictedDocuments=delete")).status).toBe(204);
  expect((await server.ask("/api/members/usr_admin", { as: "owner" })).status).toBe(404);
  expect(await seenBy("owner", id)).toBe(404);
});

it("many members are in pages, whose search, order and number every dialog keeps, without script", async () => {
  for (let number = 10; number < 80; number++) {
    const email = `person-${number}@pages.example.org`;
    await server.ask("/api/members", { as: "owner", json: { email, role: "viewer" } });
  }
  const view = "q=pages.example&sort=seen&page=2";
  const second = await page(`?${view}`);
  expect(second.match(/person-\d+@pages/g)?.length).toBeGreaterThan(0);
  expect(second).toContain("51 to 70 of 70");
  expect(second).not.toContain("person-10@pages.example.org");
  const id = /dialog=remove&amp;id=([^"&]+)/.exec(second)?.[1] ?? "";
  const kept = view.replaceAll("&", "&amp;");
  for (const dialog of ["invite", `remove&amp;id=${id}`, "group"])
    expect(second).toContain(`href="${HERE}?${kept}&amp;dialog=${dialog}"`);

  const search = `?${view}&dialog=remove&id=${id}`;
  expect(dialogOf(await page(search))).toContain(`href="${HERE}?${kept}"`);
  const removed = await post({ intent: "remove", id }, search);
  expect([removed.status, removed.headers.get("location")]).toEqual([303, `${HERE}?${view}`]);
  const group = await post({ intent: "add-group", name: "Pages" }, `?${view}&dialog=group`);
  expect(group.headers.get("location")).toBe(`${HERE}?${view}`);

  // A dialog opens for someone on another page, and a page beyond the end is the last one.
  const everybody = await json<{ id: string; email: string }[]>(
    await server.ask("/api/members", { as: "owner" }),
  );
  const elsewhere = everybody.find(({ email }) => email === "person-11@pages.example.org");
  expect(dialogOf(await page(`?${view}&dialog=link&id=${elsewhere?.id}`))).toContain(
    "New Link for person-11",
  );
  expect(await page("?page=99")).toContain("Previous");
});

it("a member is suspended and resumed by the forms of their row", async () => {
  const browser = plainBrowser(server, "owner");
  const asked = await browser.open(`${HERE}?q=viewer&dialog=suspend&id=usr_viewer`);
  const suspended = await asked.press("Suspend");
  expect(suspended.text).toContain("Suspended");
  const resumed = await suspended.press("Resume Viewer Tester");
  expect(resumed.text).not.toContain("Suspended");
  expect(resumed.document.querySelector('[aria-label="Suspend Viewer Tester"]')).not.toBeNull();
});
