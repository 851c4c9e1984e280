import { afterAll, beforeAll, expect, it } from "vitest";
import { startServer, type TestServer } from "../support/server";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

it("a refused confirmation says so in its dialog", async () => {
  const members = (await (await server.ask("/api/members", { as: "owner" })).json()) as {
    id: string;
    role: string;
  }[];
  const id = members.find(({ role }) => role === "owner")?.id ?? "";
  const response = await server.ask(`/settings/members?dialog=remove&id=${id}`, {
    as: "owner",
    form: { intent: "remove", id },
    headers: { accept: "text/html" },
  });
  expect(response.status).toBe(409);
  const page = await response.text();
  const dialog = /<dialog[\s\S]*?<\/dialog>/.exec(page)?.[0] ?? "";
  expect(dialog).toContain("Couldn&#x27;t remove the member");
  expect(dialog).toContain("This is the last owner. Make another member an owner first.");
});

it("one whose subject has gone says so on the screen", async () => {
  const response = await server.ask("/settings/keys?dialog=remove&id=key_none", {
    as: "owner",
    form: { intent: "remove-key", id: "key_none" },
    headers: { accept: "text/html" },
  });
  expect(response.status).toBe(303);
  expect(response.headers.get("location")).toBe("/settings/keys");
});
