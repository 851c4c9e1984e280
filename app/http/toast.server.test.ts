import { afterEach, beforeEach, expect, it } from "vitest";
import { openTestDatabase } from "../../tests/support/database";
import { readToast, redirectWithToast } from "./toast.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(() => test.close());

const context = { secure: false } as Parameters<typeof readToast>[1];

it.each([
  ["is removed by the page that shows it", "text/html,*/*", "Max-Age=0"],
  ["lives on for data that a newer answer may replace", "*/*", "Max-Age=5"],
])("a message %s", (_, accept, life) => {
  const sent = redirectWithToast("/next", { kind: "success", title: "Saved" }, context);
  const cookie = sent.headers.get("set-cookie")?.split(";")[0] ?? "";
  const read = readToast(new Request("http://localhost/next", { headers: { cookie, accept } }), context);
  expect(read.toast).toMatchObject({ title: "Saved" });
  expect(read.headers.get("set-cookie")).toContain(life);
});

it("a message's cookie can be removed by the page that shows it", () => {
  const sent = redirectWithToast("/next", { kind: "success", title: "Saved" }, context);
  const header = sent.headers.get("set-cookie") ?? "";
  expect(header).not.toContain("HttpOnly");
  const headers = { cookie: header.split(";")[0] ?? "", accept: "*/*" };
  const { toast } = readToast(new Request("http://localhost/next", { headers }), context);
  expect(toast?.forget).toBe("qd_toast=; Path=/; Max-Age=0; SameSite=Lax");
});
