import { describe, expect, it } from "vitest";
import { checkExpression, checkTemplate, evaluateExpression, fillTemplate } from "./expressions.server";

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
