import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { ResultView, splitResult } from "./result-view";

const draw = (value: unknown) =>
  renderToStaticMarkup(
    <ResultView label="Result" value={value} clean={(text) => text}>
      JSON
    </ResultView>,
  );

describe("a result", () => {
  it.each([
    ["a text", "Two\nlines", "Two\nlines"],
    ["an object with a text alone", { text: "Said", files: [{ id: "f" }] }, "Said"],
    ["a text and the same in structure", { text: '{"said":1}', structured: { said: "a\nb" } }, "a\nb"],
    ["a long text among facts", { url: "https://a.example", text: "a\nb" }, "</span> https://a.example"],
  ])("that is %s is shown as text", (_, value, text) => {
    const html = draw(value);
    expect(html).toContain(text);
    expect(html).not.toMatch(/JSON|&quot;|\{/);
  });

  it("that is a list of flat objects is a table, also within an object", () => {
    const rows = [
      { name: "Tea", price: 2.5 },
      { name: "Oil", sold: true, price: null },
    ];
    for (const value of [rows, { rowCount: 2, rows }, JSON.stringify(rows), { text: JSON.stringify(rows) }]) {
      const cells = [...draw(value).matchAll(/<t[dh](?: [^>]*)?>(.*?)<\/t[dh]>/g)].map(([, cell]) => cell);
      expect(cells).toEqual(["name", "price", "sold", "Tea", "2.5", "", "Oil", "", "true"]);
    }
  });

  it.each([
    ["nested rows", [{ name: { first: "Ada" } }]],
    ["rows beside something else", [{ name: "Ada" }, "Grace"]],
    ["nested fields", { text: "a\nb", page: { title: "x" } }],
    ["short values alone", { ok: true, count: 2 }],
    ["nested fields as a text", '{"a":{"b":1}}'],
    ["an empty list", []],
    ["nothing", null],
    ["too many fields", Object.fromEntries(Array.from({ length: 30 }, (_, at) => [at, "a\nb"]))],
  ])("with %s stays JSON", (_, value) => {
    expect(draw(value)).toBe("JSON");
  });

  it("is truncated with a note", () => {
    const wide = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`c${at}`, "x".repeat(1000)]));
    const html = draw(Array.from({ length: 500 }, () => wide));
    expect(html.match(/<tr/g)).toHaveLength(51);
    expect(html.match(/<td/g)).toHaveLength(50 * 12);
    expect(html).toContain("Showing 50 of 500 rows and 12 of 30 columns.");
    expect(html).not.toContain("x".repeat(201));
    expect(JSON.stringify(splitResult("y".repeat(50_000))).length).toBeLessThan(21_000);
  });

  it("is escaped, including its names", () => {
    const html = draw([{ "<img src=x>": "<script>alert(1)</script>" }]);
    expect(html).not.toMatch(/<img|<script/);
  });
});
