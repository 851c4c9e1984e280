import { expect, it } from "vitest";
import { safeReturnTo } from "./oauth.server";

it.each([
  ["/chat", "/chat"],
  ["/settings?tab=members#top", "/settings?tab=members#top"],
  [null, "/"],
  ["", "/"],
  ["chat", "/"],
  ["https://evil.test/", "/"],
  ["//evil.test", "/"],
  ["/\\evil.test", "/"],
  ["/\t/evil.test", "/"],
  ["/..//evil.test", "/"],
  ["/x/..//evil.test/", "/"],
  ["javascript:alert(1)", "/"],
  ["/api/login", "/"],
  ["/login?returnTo=/login", "/"],
  ["/logout", "/"],
  [`/${"x".repeat(3000)}`, "/"],
])("goes back to a path of this console only: %s", (value, path) => {
  expect(safeReturnTo(value)).toBe(path);
});
