import { afterEach, expect, it } from "vitest";
import { setBasePath } from "~/core/base-path";
import { cookie, findCookie } from "./cookies.server";

afterEach(() => setBasePath(""));

const HTTPS = { secure: true };
const HTTP = { secure: false };

it.each([
  ["", HTTPS, "__Host-seen=1; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure"],
  ["", HTTP, "seen=1; Path=/; Max-Age=60; HttpOnly; SameSite=Lax"],
  // Browsers refuse __Host- with a path.
  ["/ai", HTTPS, "__Secure-seen=1; Path=/ai; Max-Age=60; HttpOnly; SameSite=Lax; Secure"],
  ["/ai", HTTP, "seen=1; Path=/ai; Max-Age=60; HttpOnly; SameSite=Lax"],
])("below %j a cookie is bound to the path", (path, context, line) => {
  setBasePath(path);
  expect(cookie("seen", "1", 60, context)).toBe(line);
  expect(findCookie(line, "seen", context)).toBe("1");
});

it("of two consoles of one host, the one with the longer path finds its own, which browsers send first", () => {
  setBasePath("/ai/test");
  expect(findCookie("__Secure-seen=longer; __Secure-seen=shorter", "seen", HTTPS)).toBe("longer");
  setBasePath("/ai");
  expect(findCookie("__Host-seen=root", "seen", HTTPS)).toBeUndefined();
});
