import { describe, expect, it } from "vitest";
import { z } from "zod";
import { setClock } from "~/core/clock.server";
import { checkJsonInput, parseToolInput } from "./tool-input.service.server";

const object = (properties: Record<string, unknown>, rest: Record<string, unknown> = {}) => ({
  type: "object",
  properties,
  ...rest,
});

describe("the check of an input by a JSON Schema", () => {
  const schema = object(
    {
      city: { type: "string", minLength: 2 },
      days: { type: "integer", minimum: 1, maximum: 14 },
      unit: { enum: ["C", "F"] },
      at: { $ref: "#/$defs/point" },
    },
    {
      required: ["city"],
      additionalProperties: false,
      $defs: {
        point: { type: "array", prefixItems: [{ type: "number" }, { type: "number" }], items: false },
      },
    },
  );

  it.each([[{ city: "Graz" }], [{ city: "Graz", days: 14, unit: "C", at: [1.5, -2] }]])(
    "accepts %j",
    async (input) => {
      expect(await checkJsonInput(schema, input)).toEqual([]);
    },
  );

  it.each([
    [{}, "input: must have required property 'city'"],
    [{ city: 5 }, "city: must be string"],
    [{ city: "Graz", days: 15 }, "days: must be <= 14"],
    [{ city: "Graz", unit: "K" }, "unit: must be equal to one of the allowed values"],
    [{ city: "Graz", at: [1, "b"] }, "at.1: must be number"],
    [{ city: "Graz", at: [1, 2, 3] }, "at: must NOT have more than 2 items"],
    [{ city: "Graz", country: "AT" }, "input: must NOT have additional properties"],
    [[], "input: must be object"],
  ])("refuses %j", async (input, problem) => {
    expect(await checkJsonInput(schema, input)).toEqual([problem]);
  });

  it("leaves a missing member with a default to the server", async () => {
    const inner = object({ unit: { default: "C" }, at: {} }, { required: ["unit", "at"] });
    const schema = object(
      {
        scale: { type: "string", enum: ["css", "device"], default: "css" },
        name: { type: "string" },
        // Properties may be called like keywords.
        default: { type: "number" },
        enum: inner,
        list: { type: "array", items: { $ref: "#/$defs/inner" } },
      },
      { required: ["scale", "name", "default"], $defs: { inner } },
    );
    const input = { name: "x", default: 1, enum: { at: 1 }, list: [{ at: 1 }] };
    expect(await checkJsonInput(schema, input)).toEqual([]);
    expect(input).toEqual({ name: "x", default: 1, enum: { at: 1 }, list: [{ at: 1 }] });
    expect(await checkJsonInput(schema, { name: "x", default: 1, scale: "other" })).toHaveLength(1);
    expect(await checkJsonInput(schema, { default: 1 })).toEqual([
      "input: must have required property 'name'",
    ]);
    expect(await checkJsonInput(schema, { name: "x" })).toEqual([
      "input: must have required property 'default'",
    ]);
    expect(await checkJsonInput(schema, { name: "x", default: 1, list: [{}] })).toEqual([
      "list.0: must have required property 'at'",
    ]);
  });

  it("supports draft 7 and annotation keywords", async () => {
    const draft7 = {
      $schema: "http://json-schema.org/draft-07/schema#",
      definitions: { name: { type: "string", format: "email", "x-order": 1 } },
      ...object({ pair: { type: "array", items: [{ $ref: "#/definitions/name" }] } }),
    };
    expect(await checkJsonInput(draft7, { pair: ["no address"] })).toEqual([]);
    expect(await checkJsonInput(draft7, { pair: [1] })).toEqual(["pair.0: must be string"]);
  });

  it("follows recursive schemas to any depth", async () => {
    const tree = object({ children: { type: "array", items: { $ref: "#" } }, name: { type: "string" } });
    expect(await checkJsonInput(tree, { children: [{ children: [{ name: "leaf" }] }] })).toEqual([]);
    expect(await checkJsonInput(tree, { children: [{ children: [{ name: 1 }] }] })).toEqual([
      "children.0.children.0.name: must be string",
    ]);
  });

  it("allows properties named like keywords", async () => {
    const odd = object({
      $ref: { type: "string" },
      $id: { type: "string" },
      constructor: { type: "string" },
    });
    expect(await checkJsonInput(odd, { $ref: "a", $id: "b" })).toEqual([]);
  });
});

describe("a schema from outside", () => {
  const nested = (depth: number): Record<string, unknown> =>
    depth === 0 ? { type: "string" } : object({ a: nested(depth - 1) });

  it.each([
    ["too deep", nested(60), "nested more than"],
    ["too long", object({ a: { description: "x".repeat(100_001) } }), "too long"],
    [
      "full of references",
      object({ a: { allOf: Array.from({ length: 201 }, () => ({ $ref: "#" })) } }),
      "more than 200 references",
    ],
    ["a reference to elsewhere", object({ a: { $ref: "https://example.org/s.json" } }), "$ref may only"],
    ["a reference to a file", object({ a: { $ref: "file:///etc/passwd" } }), "$ref may only"],
    ["an id of its own", { $id: "https://example.org/s", ...object({}) }, "$id is not supported"],
    ["another draft", { $schema: "http://json-schema.org/draft-04/schema#" }, "draft-04"],
    ["a reference to nothing", object({ a: { $ref: "#/$defs/none" } }), "not valid JSON Schema"],
    ["no JSON Schema", object({ a: { type: "text" } }), "not valid JSON Schema"],
  ])("is refused: %s", async (_, schema, message) => {
    await expect(checkJsonInput(schema, {})).rejects.toMatchObject({
      code: "invalid",
      message: expect.stringContaining(message),
    });
  });

  it("is refused again without compiling it, until ten minutes have passed", async () => {
    let at = 1_800_000_000_000;
    setClock(() => at);
    try {
      const refusal = () =>
        checkJsonInput(object({ b: { type: "text" } }), {}).catch((error: unknown) => error);
      const first = await refusal();
      expect(first).toMatchObject({ code: "invalid" });
      at += 9 * 60_000;
      expect(await refusal()).toBe(first);
      at += 60_000;
      expect(await refusal()).not.toBe(first);
    } finally {
      setClock();
    }
  });

  it("can't hold the event loop with a pattern that backtracks", async () => {
    const schema = object({ a: { type: "string", pattern: "^(a+)+$" } });
    expect(await checkJsonInput(schema, { a: `${"a".repeat(60)}b` })).toEqual([
      "input: checking it takes too long",
    ]);
    expect(await checkJsonInput(schema, { a: "aaa" })).toEqual([]);
  });

  it("can't hold it with references that double at each step", async () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => [
        `d${n}`,
        n === 39
          ? { type: "string" }
          : { allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
      ]),
    );
    const schema = object({ a: { $ref: "#/$defs/d0" } }, { $defs });
    // Compiling it may take too long as well.
    expect(await checkJsonInput(schema, { a: "x" }).catch(({ message }: Error) => [message])).toEqual([
      expect.stringMatching(/takes too long/),
    ]);
  });
});

it.each([
  [{}, "The input is not valid: amount: This is required"],
  [{ amount: "two" }, "The input is not valid: amount: Enter a number"],
])("says in words what is wrong with the input %j of a built-in tool", async (input, message) => {
  const tool = { input: z.object({ amount: z.number() }) };
  await expect(parseToolInput(tool, input)).rejects.toThrow(message);
});
