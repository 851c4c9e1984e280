import { afterAll, beforeAll, expect, it } from "vitest";
import { startServer, type TestServer } from "../support/server";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const html = { accept: "text/html" };

/** The message in the signed cookie. */
function toastOf(response: Response): unknown {
  const [, text = ""] = /qd_toast=([\w-]+)/.exec(response.headers.get("set-cookie") ?? "") ?? [];
  return JSON.parse(Buffer.from(text, "base64url").toString());
}

it.each([
  ["/workflows?dialog=delete&id=gone", "Delete failed Could not delete workflow. Workflow not found."],
  ["/chat/all?dialog=rename&id=gone", "Conversation not found"],
  ["/chat/all?dialog=move&id=gone", "Conversation not found"],
  ["/settings/providers/models?dialog=edit-model&model=gone", "Model not found"],
  ["/settings/providers/models?dialog=remove-model&model=gone", "Model not found"],
])("%s says what is gone, on the list", async (path, text) => {
  const response = await server.ask(path, { as: "owner", headers: html });
  const page = await response.text();
  const dialog = /<dialog[\s\S]*?<\/dialog>/.exec(page)?.[0] ?? page;
  expect(dialog.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ")).toContain(text);
  expect(response.status).toBe(200);
});

it.each([
  ["/settings/members", "new-link", "Couldn't change the member"],
  ["/settings/members", "revoke-link", "Couldn't revoke the link"],
  ["/settings/providers", "test-provider", "Failed to test provider"],
  ["/workflows", "run", "Run failed"],
  ["/workflows", "delete", "Delete failed"],
])("on %s, %s of a row that is gone leads back to the list", async (path, intent, title) => {
  const response = await server.ask(path, { as: "owner", form: { intent, id: "gone" }, headers: html });
  expect(response.status).toBe(303);
  expect(response.headers.get("location")).toBe(path);
  expect(toastOf(response)).toMatchObject({ kind: "error", title });
});

it("a workflow that is deleted on its own page, and gone, leads to the list", async () => {
  const form = { intent: "delete" };
  const response = await server.ask("/workflows/gone", { as: "owner", form, headers: html });
  expect(response.headers.get("location")).toBe("/workflows");
});
