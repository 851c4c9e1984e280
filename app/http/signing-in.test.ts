import { expect, it } from "vitest";
import type { EdgeContext } from "./context.server";
import { signOut } from "./signing-in.server";

const context = { requestId: "req_1", address: "127.0.0.1", secure: false, origin: "http://localhost" };
const leave = (headers: Record<string, string>) =>
  signOut(new Request("http://localhost/logout", { headers }), context as EdgeContext, "Quarterdeck");

it("signs out again without a session: the cookie is cleared all the same", async () => {
  const program = await leave({});
  expect(program.status, "a program gets no page").toBe(204);
  expect(program.headers.get("set-cookie")).toMatch(/Max-Age=0/i);
  const browser = await leave({ accept: "text/html" });
  expect([browser.status, browser.headers.get("location")]).toEqual([303, "/"]);
  expect(browser.headers.get("cache-control")).toBe("no-store");
});
