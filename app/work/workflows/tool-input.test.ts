import { describe, expect, it } from "vitest";
import { readMap } from "~/core/expressions/expressions.server";
import { fieldsOfSchema } from "./tool-fields";
import { inputOf, type ToolField, textsFromForm, textsOf, writtenInput } from "./tool-input.shared";

const SCHEMA = {
  type: "object",
  properties: {
    max_results: { type: "integer", minimum: 1, maximum: 10, default: 5 },
    url: { type: "string", description: "Address of the page\nwith more words" },
    mode: { enum: ["fast", "deep"] },
    strict: { type: ["boolean", "null"] },
    tags: { type: "array", items: { $ref: "#/$defs/tag" } },
    filter: { anyOf: [{ type: "object" }, { type: "null" }] },
  },
  required: ["url", "max_results"],
  $defs: { tag: { type: "string" } },
};
const fields = fieldsOfSchema(SCHEMA) as ToolField[];

describe("the form of a tool", () => {
  it("has a field for each parameter, required ones first", () => {
    expect(fields.map(({ name, label, kind, required }) => [name, label, kind, required])).toEqual([
      ["url", "URL", "text", true],
      ["max_results", "Max results", "number", false],
      ["mode", "Mode", "choice", false],
      ["strict", "Strict", "choice", false],
      ["tags", "Tags", "lines", false],
      ["filter", "Filter", "json", false],
    ]);
    expect(fields.map(({ hint }) => hint)).toEqual([
      "Address of the page.",
      "1 to 10. Default: 5.",
      undefined,
      undefined,
      "One a line.",
      "Enter JSON.",
    ]);
  });

  it("survives hostile schemas", () => {
    expect(fieldsOfSchema({ properties: { a: { $ref: "#/properties/a" }, constructor: true } })).toHaveLength(
      2,
    );
    expect(fieldsOfSchema({ properties: { a: { $ref: "#/__proto__/x" } } })).toMatchObject([
      { kind: "json" },
    ]);
    expect(fieldsOfSchema("x")).toEqual([]);
    const many = Object.fromEntries(Array.from({ length: 41 }, (_, at) => [`p${at}`, {}]));
    expect(fieldsOfSchema({ properties: many })).toBeUndefined();
  });

  it("gives values of the parameters' types, and leaves blank ones out", () => {
    const input = {
      url: "{{ trigger.url }}",
      max_results: 3,
      mode: "deep",
      strict: false,
      tags: ["a", "{{ item }}"],
      filter: { a: [1] },
    };
    const texts = textsOf(fields, input);
    expect(texts).toMatchObject({ strict: "false", mode: '"deep"', tags: "a\n{{ item }}" });
    expect(inputOf(fields, texts ?? {})).toEqual(input);
    expect(inputOf(fields, { url: "", tags: "{{ trigger.tags }}", strict: "{{ trigger.on }}" })).toEqual({
      tags: "{{ trigger.tags }}",
      strict: "{{ trigger.on }}",
    });
    expect(inputOf(fields, { max_results: "many" })).toEqual({ max_results: "many" });
  });

  it("doesn't show an input that has more", () => {
    expect(textsOf(fields, { url: "x", other: 1 })).toBeUndefined();
    expect(textsOf(fields, "steps.a")).toBeUndefined();
  });

  it("reads what a form without script sent", () => {
    expect(textsFromForm({ name0: "url", value0: "x", name1: "a.b[0]" })).toEqual({ url: "x", "a.b[0]": "" });
    expect(textsFromForm({})).toBeUndefined();
    expect(writtenInput('{"url": "{{ trigger.url }}"}')).toEqual({ url: "{{ trigger.url }}" });
    expect(writtenInput('{"url": trigger.url}')).toBeUndefined();
  });
});

describe("an expression that is a map", () => {
  it("becomes texts with expressions", () => {
    expect(
      readMap('{"url": trigger.?url.orValue("x"), "n": 3, "on": true, "text": "a", "m": {"a": item}}'),
    ).toEqual({
      url: '{{ trigger.?url.orValue("x") }}',
      n: 3,
      on: true,
      text: "a",
      m: '{{ {"a": item} }}',
    });
  });

  it.each(["steps.a", '{"a": "{{ b }}"}', "{trigger.a: 1}", "{", '{"a": null}'])("isn't %s", (source) =>
    expect(readMap(source)).toBeUndefined(),
  );
});
