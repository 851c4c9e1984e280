import { Environment } from "@marcbachmann/cel-js";
import { describe, expect, it } from "vitest";
import {
  checkExpression,
  checkTemplate,
  evaluateExpression,
  fillTemplate,
  withinBudget,
} from "./expressions.server";

const scope = {
  trigger: { n: 2, name: "Ada", tags: ["a", "b"], nested: { deep: null } },
  steps: { search: { results: [{ score: 0.5 }, { score: 0.25 }], text: "found" } },
};
const refused = (message: RegExp) =>
  expect.objectContaining({ code: "invalid", message: expect.stringMatching(message) });

describe("an expression", () => {
  it.each([
    ["trigger.n + 1", 3],
    ["1 - trigger.n", -1],
    ["5.0 % 2", 1],
    ['"Total: " + trigger.n', "Total: 2"],
    ["trigger.n > 1 && trigger.name == 'Ada'", true],
    ["steps.search.results.map(r, r.score).sum()", 0.75],
    ["trigger.tags.map(t, t + '!').join(', ')", "a!, b!"],
    ["trigger.?missing.orValue('-')", "-"],
    ["has(trigger.missing)", false],
    ["{'a': [1, trigger.n]}", { a: [1, 2] }],
    ["json(trigger.tags)", '["a","b"]'],
    ["trigger.nested.deep", null],
    ["size(trigger.tags)", 2],
  ])("%s is %j", (source, value) => {
    expect(evaluateExpression(source, scope)).toEqual(value);
  });

  it.each([
    ["", /empty/],
    ["trigger.", /./],
    ["trigger.nme", /nme/],
    ["unknown.x", /unknown/i],
    ["constructor", /./],
    ["trigger.constructor.constructor('return process')()", /./],
    ["trigger.__proto__.polluted", /./],
    ["'aaaa'.matches('(a+)+$')", /matches/],
    ["[1].map(a, [1].map(b, [1].map(c, c)))", /nested/],
    ["a = 1", /./],
    ["x".repeat(1_000_000), /4,000/],
    [`${"(".repeat(1900)}1${")".repeat(1900)}`, /./],
    [Array(600).fill("1").join("+"), /./],
  ])("is refused: %#", (source, message) => {
    expect(() => evaluateExpression(source, scope)).toThrow(refused(message));
  });

  it("that loops for too long is stopped", () => {
    const list = Array.from({ length: 5000 }, (_, n) => n);
    expect(() =>
      evaluateExpression("trigger.all(a, trigger.all(b, a + b >= 0.0))", { ...scope, trigger: list }),
    ).toThrow(refused(/took longer/));
  });

  const long = {
    trigger: {
      digits: "1".repeat(3000),
      text: "é".repeat(3_000_000),
      tooLong: "a".repeat(4_000_001),
      list: Array(100_001).fill("a"),
      texts: Array(5).fill("a".repeat(900_000)),
    },
  };
  const bound = /more than [\d,]+ (characters|items|bytes), the limit at this place/;

  it.each([
    "duration(trigger.digits)",
    `duration('${"1".repeat(3000)}')`,
    "[trigger.digits].map(d, duration(d))",
    "cel.bind(d, trigger.digits, duration(d))",
    "duration(trigger.?digits.orValue(''))",
    `size(${"json(".repeat(26)}'"'${")".repeat(26)})`,
    "trigger.text.split('')",
    "trigger.texts.join('')",
    "['a', 'b'].join(trigger.digits)",
    "'a'.contains(trigger.digits)",
    "trigger.text + trigger.tooLong",
    "trigger.list + ['a']",
    "bytes(trigger.text) + b'a'",
  ])("with a value that is too long is refused: %s", (source) => {
    expect(() => evaluateExpression(source, long)).toThrow(refused(bound));
  });

  const inputs: Readonly<Record<string, string>> = {
    string: "trigger.tooLong",
    bytes: "bytes(trigger.text)",
    list: "trigger.list",
  };
  const inputOf = (type: string) => inputs[type.replace(/<.*/, "")];
  const overloads = new Environment({ enableOptionalTypes: true })
    .getDefinitions()
    .functions.filter(
      ({ receiverType, params }) =>
        !params.some(({ type }) => type === "ast") &&
        [receiverType ?? "", ...params.map(({ type }) => type)].some(inputOf),
    );

  it.each(overloads.filter(({ name }) => name !== "matches"))(
    "bounds the inputs of $signature",
    (overload) => {
      const { name, receiverType, params } = overload;
      const types = receiverType
        ? [receiverType, ...params.map(({ type }) => type)]
        : params.map((p) => p.type);
      for (const [position, type] of types.entries()) {
        if (!inputOf(type)) continue;
        const values = types.map((other, index) => {
          if (index === position) return inputOf(other);
          if (other.startsWith("list")) return "['a']";
          if (other.startsWith("google.protobuf.Timestamp")) return "timestamp(0)";
          return other === "int" ? "1" : "'a'";
        });
        const [receiver, ...rest] = values;
        const source = receiverType ? `${receiver}.${name}(${rest})` : `${name}(${values})`;
        expect(() => evaluateExpression(source, long), source).toThrow(refused(bound));
      }
    },
  );

  it("whose result is too large is refused", () => {
    expect(() => evaluateExpression("trigger.texts.map(a, trigger.text)", long)).toThrow(
      refused(/larger than 8,000,000/),
    );
    expect(() => evaluateExpression("json(trigger.texts.map(a, trigger.texts))", long)).toThrow(
      refused(/larger than 8,000,000/),
    );
  });

  it("shares its budget with those of the same step", () => {
    const fill = () => fillTemplate("{{ trigger.text }}", long);
    expect(withinBudget(() => [fill(), fill()])).toHaveLength(2);
    expect(() => withinBudget(() => [fill(), fill(), fill()])).toThrow(refused(/larger than/));
    const slow = () => evaluateExpression("trigger.list.all(a, trigger.list.all(b, a + b != ''))", long);
    expect(() => withinBudget(() => slow())).toThrow(refused(/took longer than 200 ms/));
    // Each is quick; all of them would take seconds.
    const trigger = Array.from({ length: 100 }, (_, n) => n);
    const quick = () =>
      evaluateExpression("trigger.all(a, trigger.all(b, a + b >= 0.0))", { ...scope, trigger });
    expect(quick()).toBe(true);
    expect(() => withinBudget(() => Array.from({ length: 1000 }, quick))).toThrow(
      refused(/took longer than 200 ms/),
    );
    expect(fill()).toBe(long.trigger.text);
  });

  it("may be one of many that only read a value, and read a large one", () => {
    const read = () => evaluateExpression("trigger.text", long);
    expect(withinBudget(() => [fillTemplate("{{ run }}", { run: 1 }), read()])).toEqual([
      1,
      long.trigger.text,
    ]);
    const many = Array.from({ length: 150 }, () => "{{ run }}").join();
    expect(fillTemplate(many, { run: 1 })).toBe(Array(150).fill(1).join());
  });

  it("names the steps it refers to", () => {
    expect([...checkExpression("steps.search.text + steps.ai_1.?text.orValue('')")]).toEqual([
      "search",
      "ai_1",
    ]);
  });
});

describe("a text with expressions", () => {
  it.each([
    ["no expression", "no expression"],
    ["{{ trigger.tags }}", ["a", "b"]],
    ["{{trigger.n}}", 2],
    ["n={{ trigger.n }}, tags={{ trigger.tags }}, {{ trigger.nested.deep }}.", 'n=2, tags=["a","b"], .'],
    ["{{ '}}' + trigger.name }}!", "}}Ada!"],
    ["{{ {'a': {'b': 1}}.a.b }}", 1],
    ["{{ trigger.name }}{{ steps.search.text }}", "Adafound"],
  ])("%s becomes %j", (source, value) => {
    expect(fillTemplate(source, scope)).toEqual(value);
  });

  it("with too many expressions is refused", () => {
    expect(() => fillTemplate("{{ 1 }}".repeat(201), scope)).toThrow(refused(/at most 200 expressions/));
    expect(() => checkTemplate("{{ 1 }}".repeat(201))).toThrow(refused(/at most 200 expressions/));
  });

  it("with a brace that isn't closed is refused, also when it is checked", () => {
    expect(() => fillTemplate("Hello {{ trigger.name", scope)).toThrow(refused(/no matching/));
    expect(() => checkTemplate("Hello {{ trigger.name }")).toThrow(refused(/no matching/));
    expect([...checkTemplate("{{ steps.a.x }} and {{ steps.b.y }}")]).toEqual(["a", "b"]);
  });
});

describe("a step whose name needs quotes", () => {
  const steps = { "a-b": { text: "hyphen" }, "1st": { text: "digit" } };

  it("is named in brackets, and found among the references", () => {
    expect(evaluateExpression('steps["a-b"].text + steps["1st"].text', { steps })).toBe("hyphendigit");
    expect([...checkTemplate('{{ steps["a-b"].text }} {{ steps.a.n - 1 }}')]).toEqual(["a-b", "a"]);
  });
});
