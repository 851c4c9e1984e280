import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { CapabilityList, PriceCell, priceColumn } from "./model-list-parts";

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

it("gives the prices of a column the same decimals", () => {
  const prices = [0.0025, 0.00015, 0, null, 0.03];
  expect(prices.map(priceColumn(prices))).toEqual(["$0.00250", "$0.00015", "$0.00000", "—", "$0.03000"]);
  expect([1, 0.5].map(priceColumn([1, 0.5]))).toEqual(["$1.00", "$0.50"]);
});

it("shows a price per 1K tokens and per 1M, and an unknown one once", () => {
  const text = (price: number | null) =>
    renderToStaticMarkup(<PriceCell price={price} format={priceColumn([price])} />).replaceAll(
      /<[^>]*>/g,
      " ",
    );
  expect(text(0.00015)).toMatch(/\$0\.00015\s+\$0\.15 \/ 1M/);
  expect(text(0.0025)).toContain("$2.50 / 1M");
  expect(text(0)).toContain("$0.00 / 1M");
  expect(text(null).trim()).toBe("—");
});
