import { describe, expect, it } from "vitest";
import { checkExpression } from "~/core/expressions/expressions.server";
import { draftFromForm, readDraftJson, toWorkflowInput } from "./builder-form.shared";
import { editCondition, NEW_ROW, rowsOf, toExpression, toRows } from "./condition-rows.shared";
import { listPartTypes } from "./part-types.server";

const row = (field: string, operator: string, value = "") => ({ field, operator, value });

describe("rows of a condition", () => {
  it.each([
    ["steps.search.count > 0", [row("steps.search.count", ">", "0")]],
    ['trigger.state == "open"', [row("trigger.state", "==", "open")]],
    [
      "trigger.n >= steps.limit.result && item != null",
      [row("trigger.n", ">=", "steps.limit.result"), row("item", "!=", "null")],
    ],
    [
      'steps.a.text.contains("fire") || size(steps.a.results) == 0',
      [row("steps.a.text", "contains", "fire"), row("steps.a.results", "empty")],
    ],
    ["size(trigger.items) > 0", [row("trigger.items", "filled")]],
  ])("represent %s", (expression, rows) => {
    expect(toRows(expression)?.rows).toEqual(rows);
    expect(toExpression(toRows(expression) ?? { match: "all", rows: [] })).toBe(expression);
    expect(() => checkExpression(expression)).not.toThrow();
  });

  it.each([
    "steps.a.list.exists(x, x > 1)",
    "a == 1 && b == 2 || c == 3",
    "(a == 1)",
    'trigger.n == "5"',
    'a == "b && c"',
    "!trigger.done",
    "a  ==  1",
  ])("can't represent %s, which stays text", (expression) => {
    expect(toRows(expression)).toBeUndefined();
  });

  it("quote text values, so that they can't end the comparison", () => {
    const value = '" || true || "';
    expect(toExpression({ match: "all", rows: [row("trigger.a", "==", value)] })).toBe(
      'trigger.a == "\\" || true || \\""',
    );
  });

  it("are kept while unfinished, and convert to text and back", () => {
    const part = { config: { condition: "trigger.a == 1" } };
    const more = editCondition(part, "addrow", 0);
    expect(rowsOf(more)?.rows).toEqual([row("trigger.a", "==", "1"), NEW_ROW]);
    expect(more.config.condition).toBe("trigger.a == 1");
    const text = editCondition(more, "astext", 0);
    expect(rowsOf(text)).toBeUndefined();
    expect(rowsOf(editCondition(text, "asrows", 0))?.rows).toHaveLength(1);
    expect(editCondition(more, "removerow", 0).config.condition).toBe("");
  });
});

describe("a submitted form", () => {
  const types = listPartTypes("org_1");
  const step = { id: "check", type: "condition", config: { condition: "trigger.a == 1" } };
  const sent = (condition: Record<string, string>) =>
    draftFromForm(
      { view: "list", steps: [{ id: "check", condition }] },
      types,
      readDraftJson(JSON.stringify({ steps: [step] })),
    );

  it("builds the condition from its rows", () => {
    const draft = sent({ match: "any", field0: "trigger.b", operator0: ">", value0: "2", operator1: "==" });
    expect(draft.steps[0]?.config.condition).toBe("trigger.b > 2");
    expect(draft.steps[0]?.condition).toEqual({
      match: "any",
      rows: [row("trigger.b", ">", "2"), NEW_ROW],
    });
    const [saved] = toWorkflowInput(draft, types).steps;
    expect(saved).toMatchObject({ config: { condition: "trigger.b > 2" } });
    expect(saved).not.toHaveProperty("condition");
  });
});
