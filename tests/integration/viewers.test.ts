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
  ["/rag/check?dialog=add", /<dialog|>Run Check</, "Retrieval Check"],
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
