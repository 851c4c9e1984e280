import { expect, it } from "vitest";
import { formatOfName, labelOfPage, pageUnit } from "./source-labels";

it("labels a page by its format", () => {
  const book = { format: "Excel", sheets: ["Q3 stock"] };
  expect(labelOfPage(1, book)).toBe("Q3 stock");
  expect(labelOfPage(2, book)).toBe("Sheet 2");
  expect(labelOfPage(2, { format: "PowerPoint" })).toBe("Slide 2");
  expect(labelOfPage(2, { format: "PDF" })).toBe("Page 2");
  expect(["Excel", "PowerPoint", "PDF", ""].map(pageUnit)).toEqual(["sheet", "slide", "page", "page"]);
});

it("labels a result's page by its file name", () => {
  const label = (name: string) => labelOfPage(1, { format: formatOfName(name) });
  expect(["stock.xlsx", "STOCK.XLSM", "talk.pptx", "manual.pdf", "https://example.org/"].map(label)).toEqual([
    "Sheet 1",
    "Sheet 1",
    "Slide 1",
    "Page 1",
    "Page 1",
  ]);
});
