import { expect, it } from "vitest";
import { sentenceOf, toneOf } from "./sentences";

it.each([
  ["persona.created", { name: "Analyst" }, "Created the persona Analyst"],
  ["user.login", {}, "Signed in"],
  ["provider.updated", {}, "Changed the provider"],
  ["api_key.deleted", {}, "Api Key Deleted"],
  ["workflow.step_retried", {}, "Workflow Step Retried"],
])("says %s as a person would", (action, details, sentence) => {
  expect(sentenceOf({ action, details })).toBe(sentence);
});

it.each([
  ["persona.created", "success"],
  ["member.removed", "danger"],
  ["settings.updated", "warning"],
  ["user.login", "info"],
])("colours %s %s", (action, tone) => {
  expect(toneOf(action)).toBe(tone);
});
