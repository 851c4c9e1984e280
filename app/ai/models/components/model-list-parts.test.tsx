import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { CapabilityList, PriceCell } from "./model-list-parts";

const shown = (capabilities: ("text" | "vision")[], kind: "chat" | "embedding" | "rerank" | "speech") =>
  renderToStaticMarkup(
    <CapabilityList model={{ recommended: false, enhanced: false, kind, capabilities }} />,
  ).replaceAll(/<[^>]*>/g, "");

it("names at least text for a chat model, as the API does", () => {
  expect(shown([], "chat")).toBe("Text");
  expect(shown(["text", "vision"], "chat")).toBe("Vision");
  expect(shown([], "embedding")).toBe("Embedding");
  expect(shown([], "rerank")).toBe("Reranker");
  expect(shown([], "speech")).toBe("Speech");
});

it("shows a price per 1M tokens, with the one per 1K on hover, and says which is unknown", () => {
  const html = (price: number | null) => renderToStaticMarkup(<PriceCell price={price} />);
  const text = (price: number | null) => html(price).replaceAll(/<[^>]*>/g, "");
  expect([0.00015, 0.0025, 0.0002288, 0, null].map(text)).toEqual([
    "$0.15",
    "$2.50",
    "$0.2288",
    "$0.00",
    "—",
  ]);
  expect(html(0.00015)).toContain('title="$0.00015 per 1K tokens"');
});
