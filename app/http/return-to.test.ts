import { expect, it } from "vitest";
import { refererPath, safeReturnTo } from "./return-to.server";

it.each([
  ["/chat", "/chat"],
  ["/chat?dialog=new", "/chat?dialog=new"],
  ["/settings?tab=members#top", "/settings?tab=members#top"],
  ["/rag?q=%E4%BD%A0", "/rag?q=%E4%BD%A0"],
  ["/", "/"],
  [undefined, "/"],
  [null, "/"],
  ["", "/"],
  ["chat", "/"],
  ["//evil.example", "/"],
  ["/\\evil.example", "/"],
  ["/a\\..\\b", "/"],
  ["/\t/evil.example", "/"],
  ["/\u0000/evil.example", "/"],
  ["/\u2028/evil.example", "/"],
  ["/\u0085/evil.example", "/"],
  ["/\uff0fevil.example", "/"],
  ["/\uff3cevil.example", "/"],
  ["/\ud800", "/"],
  ["/..//evil.example", "/"],
  ["/x/..//evil.example/", "/"],
  ["https://evil.example", "/"],
  ["javascript:alert(1)", "/"],
  ["/api/login", "/"],
  ["/login?returnTo=/login", "/"],
  ["/logout", "/"],
  [`/${"x".repeat(3000)}`, "/"],
])("leads %s to %s", (value, expected) => {
  expect(safeReturnTo(value)).toBe(expected);
});

it.each([
  ["https://console.example/rag?find=a", "/rag?find=a"],
  ["https://console.example/login", "/"],
  ["about:client", "/"],
  ["not an address", undefined],
  [undefined, undefined],
])("a form that was sent from %s belongs to the page %s", (referer, expected) => {
  const headers = new Headers(referer === undefined ? [] : [["referer", referer]]);
  expect(refererPath(new Request("https://console.example/model", { headers }))).toBe(expected);
});
