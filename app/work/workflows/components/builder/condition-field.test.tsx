import { expect, it } from "vitest";
import { rendered } from "../../../../../tests/support/rendered";
import { Draft } from "../../builder.schema";
import type { ConditionRows } from "../../condition-rows.shared";
import { BuilderProvider } from "./builder-context";
import { ConditionField } from "./condition-field";

const field = { name: "condition", label: "Condition", control: { kind: "condition" } } as const;

async function show(condition: ConditionRows, problem?: string) {
  const part = { id: "check", type: "condition", config: {}, condition };
  const builder = {
    draft: Draft.parse({ steps: [part] }),
    change: () => {},
    types: [],
    choices: {} as never,
    names: [],
    problems: {},
    facts: { schedules: {}, tools: {}, warnings: {} },
    samples: { trigger: [], steps: {} },
    sendsFields: true,
    tried: undefined,
    run: undefined,
  };
  const { document } = await rendered(
    <BuilderProvider value={builder}>
      <ConditionField kind="steps" index={0} part={part} field={field} problem={problem}>
        <input />
      </ConditionField>
    </BuilderProvider>,
  );
  const inputs = [...document.querySelectorAll("input")];
  return {
    fields: inputs.map((input) => [input.getAttribute("name"), input.getAttribute("placeholder")]),
    invalid: inputs.flatMap((input) =>
      input.getAttribute("aria-invalid") === "true" ? input.getAttribute("name") : [],
    ),
    match: document.querySelector('[name="steps[0].condition.match"]'),
    removes: [...document.querySelectorAll('button[value^="removerow"]')].map((button) =>
      button.getAttribute("value"),
    ),
  };
}

const row = (operator: string) => ({ field: "steps.ask.text", operator, value: "" });

it("a single row can't be removed and has nothing to be matched with", async () => {
  const { fields, match, removes } = await show({ match: "all", rows: [row("==")] });
  expect(fields).toEqual([
    ["steps[0].condition.field0", "steps.search.count"],
    ["steps[0].condition.value0", "Value"],
  ]);
  expect(match, "all or any is asked only of several rows").toBeNull();
  expect(removes, "the last row stays").toEqual([]);
});

it("several rows are matched by all or any, and each is removed by itself", async () => {
  const { fields, match, removes } = await show({ match: "any", rows: [row("=="), row("empty")] });
  expect(match?.querySelector("option[selected]")?.textContent).toBe("Any row is true");
  expect(removes).toEqual(["removerow.steps.0.0", "removerow.steps.0.1"]);
  expect(fields[3], "an operator without a value says so").toEqual([
    "steps[0].condition.value1",
    "No value needed",
  ]);
});

it("an error of the condition is shown at its first row only", async () => {
  const { invalid } = await show({ match: "all", rows: [row("=="), row("==")] }, "Enter a condition");
  expect(invalid).toEqual(["steps[0].condition.field0"]);
});
