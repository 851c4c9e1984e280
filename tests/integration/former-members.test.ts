import { afterAll, beforeAll, expect, it } from "vitest";
import { startServer, type TestServer } from "../support/server";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const HERE = "/settings/members";
const page = async (search = "") => (await server.ask(`${HERE}${search}`, { as: "owner" })).text();
const post = (form: Record<string, string>) =>
  server.ask(HERE, { as: "owner", method: "POST", form, headers: { origin: server.baseUrl } });
const seenBy = async (as: "owner" | "admin", id: string) =>
  (await server.ask(`/api/rag/documents/${id}`, { as })).status;

it("what a member leaves to named members is decided on at the removal or later, without script", async () => {
  const json = { text: "Who goes in May.", title: "Layoffs", visibility: "named" };
  const made = await server.ask("/api/rag/ingest", { as: "member", json });
  const { id } = (await made.json()) as { id: string };
  expect(await page()).not.toContain("Documents of former members");

  const asked = await page("?dialog=remove&id=usr_member");
  for (const words of ["They added", "1 document that only named members see", "Keep them", "Delete them"])
    expect(asked.replaceAll("<!-- -->", "")).toContain(words);
  expect((await post({ intent: "remove", id: "usr_member", documents: "keep" })).status).toBe(303);

  expect(await page()).toContain("Documents of former members");
  const later = (await page("?dialog=documents&id=usr_member")).replaceAll("<!-- -->", "");
  expect(later).toContain("Hand them over");
  expect(later).not.toContain("Keep them");
  expect(later).not.toContain("Layoffs");
  expect(await seenBy("admin", id)).toBe(404);
  const settled = { intent: "documents", id: "usr_member", documents: "hand-over", to: "usr_admin" };
  expect((await post(settled)).status).toBe(303);
  expect([await seenBy("admin", id), await seenBy("owner", id)]).toEqual([200, 404]);
  expect(await page()).not.toContain("Documents of former members");
});

it("a removal over the API that can't be decided on leaves the member, and one that can does both", async () => {
  const json = { text: "Who goes in June.", title: "More layoffs", visibility: "named" };
  const made = await server.ask("/api/rag/ingest", { as: "admin", json });
  const { id } = (await made.json()) as { id: string };
  const remove = (query: string) =>
    server.ask(`/api/members/usr_admin?${query}`, { as: "owner", method: "DELETE" });
  for (const query of ["documents=hand-over", "documents=hand-over&to=usr_viewer", "documents=burn"])
    expect((await remove(query)).status).toBe(400);
  expect((await server.ask("/api/members/usr_admin", { as: "owner" })).status).toBe(200);
  expect((await remove("documents=delete")).status).toBe(204);
  expect((await server.ask("/api/members/usr_admin", { as: "owner" })).status).toBe(404);
  expect(await page()).not.toContain("Documents of former members");
  expect(await seenBy("owner", id)).toBe(404);
});
