import { renderToStaticMarkup } from "react-dom/server";
import { afterEach, expect, it, vi } from "vitest";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

it.each([
  ["empty as hydration finds it", {}, ""],
  ["the page's own once an error renders the document again", { scripted: "" }, "abc"],
])("is in the browser %s", async (_, dataset, expected) => {
  vi.stubGlobal("document", { querySelector: () => ({ nonce: "abc" }), documentElement: { dataset } });
  const { useNonce } = await import("./document-head");
  const Shown = () => <p>{useNonce()}</p>;
  expect(renderToStaticMarkup(<Shown />)).toBe(`<p>${expected}</p>`);
});
