import { expect, it } from "vitest";
import { rendered } from "../../../../tests/support/rendered";
import type { Budget } from "../budgets.schema";
import { ExceptionDialog } from "./budget-dialogs";

const budget: Budget = {
  id: "bud_1",
  target: { scope: "person", id: "usr_1" } as unknown as Budget["target"],
  scope: "person",
  name: "Ada",
  unit: "tokens",
  period: "month",
  limit: 1000,
  exception: 0,
  spent: 900,
  reserved: 0,
  unpricedCalls: 0,
  state: "ok",
  warnAt: null,
  unpriced: "allow",
  resetsOn: "2026-12-01",
};
const show = (unit: Budget["unit"], result?: object) =>
  rendered(
    <ExceptionDialog budget={{ ...budget, unit }} closeTo="/usage/budgets" result={result as never} />,
  );
const typedIn = ({ document }: { document: Document }, name: string) =>
  document.querySelector(`[name=${name}]`)?.getAttribute("value");

it.each([
  ["money", "Amount in US dollars"],
  ["tokens", "Amount in tokens"],
] as const)("asks for an amount of %s and the reason", async (unit, label) => {
  const page = await show(unit);
  expect(page.text).toContain("Grant an Exception to Ada");
  expect(page.text).toContain(label);
  expect([typedIn(page, "amount"), typedIn(page, "reason")]).toEqual(["", ""]);
});

it("keeps what was entered, with the error of a field or of the whole", async () => {
  const initialValue = { amount: "-5", reason: "Launch" };
  const field = await show("tokens", {
    initialValue,
    error: { "": ["Not saved"], amount: ["Enter more than 0"] },
  });
  expect([typedIn(field, "amount"), typedIn(field, "reason")]).toEqual(["-5", "Launch"]);
  expect(field.text).toContain("Enter more than 0");
  expect(field.text).not.toContain("Not saved");
  expect((await show("tokens", { initialValue, error: { "": ["Not saved"] } })).text).toContain("Not saved");
});
