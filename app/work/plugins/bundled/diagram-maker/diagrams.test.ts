import { SaxesParser } from "saxes";
import { describe, expect, it } from "vitest";
import { CHART_TYPES, drawChart } from "./chart";
import { drawFlow, wrap } from "./flow";

/** The elements of well-formed XML by name, with their texts. @throws for what isn't */
function parse(svg: string): { names: Set<string>; attributes: Set<string>; text: string } {
  const names = new Set<string>();
  const attributes = new Set<string>();
  let text = "";
  const parser = new SaxesParser();
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", (tag) => {
    names.add(tag.name);
    for (const name of Object.keys(tag.attributes)) attributes.add(name);
  });
  parser.on("text", (piece) => {
    text += piece;
  });
  parser.write(svg).close();
  return { names, attributes, text };
}

const HOSTILE = `"/><script>alert(1)</script><image href="https://example.org/"/>&\u0000\uD800`;

describe("a chart", () => {
  const labels = ["Jan", "Feb", "Mar"];
  const series = [
    { name: "Sold", values: [3, null, -1] },
    { name: "Made", values: [2, 5, 4] },
  ];

  it.each(CHART_TYPES)("of type %s is a well-formed SVG with title, labels and names", (type) => {
    const svg = drawChart({ type, title: "Lamps", labels, series });
    const { names, text } = parse(svg);
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
    expect(text).toContain("Lamps");
    expect(text).toContain("Jan");
    expect(type === "pie" || text.includes("Made")).toBe(true);
    expect(names).toContain(type.endsWith("bar") ? "rect" : "path");
  });

  it.each(CHART_TYPES)("of type %s escapes hostile texts and values", (type) => {
    const hostile = { name: HOSTILE, values: [0, 0, 0] };
    const { names, attributes } = parse(
      drawChart({ type, title: HOSTILE, labels: [HOSTILE, "", HOSTILE], series: [hostile, hostile] }),
    );
    expect([...names].filter((name) => name === "script" || name === "image")).toEqual([]);
    expect(
      [...attributes].filter((name) => name === "href" || name === "style" || name.startsWith("on")),
    ).toEqual([]);
  });

  it("starts its axis at zero and omits overlapping labels", () => {
    const many = Array.from({ length: 200 }, (_, index) => `Label ${index}`);
    const { text } = parse(
      drawChart({
        type: "bar",
        title: "T",
        labels: many,
        series: [{ name: "n", values: many.map(() => 1000) }],
      }),
    );
    expect(text).toContain("1K");
    expect(text).toContain("Label 0");
    expect(text.match(/Label/g)?.length).toBeLessThan(20);
  });
});

describe("a flow diagram", () => {
  it("draws nodes whose ids are names of JavaScript's objects", () => {
    const ids = ["__proto__", "constructor", "toString"];
    const drawn = drawFlow({
      title: "Names",
      direction: "down",
      nodes: ids.map((id) => ({ id, label: `Node ${id}`, shape: "diamond" })),
      edges: [
        { from: "__proto__", to: "constructor", label: "then" },
        { from: "constructor", to: "toString", label: "" },
      ],
    });
    const { text } = parse(drawn);
    for (const id of ids) expect(text).toContain(id);
    expect(text).toContain("then");
  });

  const nodes = [
    { id: "a", label: "Order received", shape: "round" as const },
    { id: "b", label: "In stock?", shape: "diamond" as const },
    { id: "c", label: HOSTILE, shape: "box" as const },
  ];

  it.each(["down", "right"] as const)("going %s draws each box and arrow", (direction) => {
    const edges = [
      { from: "a", to: "b", label: "" },
      { from: "b", to: "c", label: "yes" },
      { from: "b", to: "a", label: "no" },
      { from: "c", to: "c", label: "" },
    ];
    const svg = drawFlow({ title: "Orders", direction, nodes, edges });
    const { names, text } = parse(svg);
    expect(svg).not.toMatch(/NaN|undefined/);
    expect(svg.match(/marker-end/g)).toHaveLength(4);
    for (const shown of ["Orders", "Order received", "In stock?", "yes", "no"]) expect(text).toContain(shown);
    expect(names.has("script")).toBe(false);
  });

  it("wraps long labels", () => {
    expect(wrap("Check whether the item is in stock")).toEqual(["Check whether the item", "is in stock"]);
    expect(wrap("x".repeat(100))).toEqual([`${"x".repeat(23)}…`]);
    expect(wrap("word ".repeat(100))).toHaveLength(4);
  });
});
