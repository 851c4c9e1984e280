import { parseHTML } from "linkedom";
import { afterAll, beforeAll, expect, it } from "vitest";
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
  ["/workflows/runs", /Run a workflow, or wait/, "once a workflow is started by a member"],
])("%s offers a viewer nothing that only others can do", async (path, offer, instead) => {
  expect(await pageOf(path, "member")).toMatch(offer);
  const page = await pageOf(path, "viewer");
  expect(page).not.toMatch(offer);
  expect(page).toContain(instead);
});

it("says who can add what the marketplace hasn't", async () => {
  expect(await pageOf("/extensions", "viewer")).toContain("Only admins and owners can install");
});

it("has the profile alone among the settings", async () => {
  const away = await server.ask("/settings", { as: "viewer", headers: { accept: "text/html" } });
  expect([away.status, away.headers.get("location")]).toEqual([302, "/settings/profile"]);
  const { document } = parseHTML(await pageOf("/settings/profile", "viewer"));
  const links = [...document.querySelectorAll("[aria-label=Settings] a")];
  expect(links.map(({ textContent }) => textContent)).toEqual(["Profile"]);
});
