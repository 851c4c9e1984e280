import { afterEach, expect, it } from "vitest";
import { setBasePath, withBase, withoutBase } from "./base-path";

afterEach(() => setBasePath(""));

it("leaves addresses alone at the root of a host", () => {
  expect([withBase("/chat"), withoutBase("/chat"), withoutBase("/?a=1")]).toEqual([
    "/chat",
    "/chat",
    "/?a=1",
  ]);
});

it.each([
  ["/ai", "/"],
  ["/ai/", "/"],
  ["/ai?a=1", "/?a=1"],
  ["/ai/chat?a=/ai", "/chat?a=/ai"],
  ["/ai/ai/chat", "/ai/chat"],
  ["/chat", "/chat"],
  ["/aid", "/aid"],
  ["/ai.data", "/ai.data"],
])("takes the base path off %s once, as a whole part", (sent, path) => {
  setBasePath("/ai");
  expect(withoutBase(sent)).toBe(path);
});
