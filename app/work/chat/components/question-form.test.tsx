import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import type { Question } from "~/ai/tools/question.schema";
import { ApprovalsProvider } from "./conversation-provider";
import { QuestionForm } from "./question-form";

const QUESTION: Question = { id: "qst_1", asker: "<b>Lab</b>", message: "Who <i>are</i> you?" };

function draw(question: Partial<Question>, isOwn = true): string {
  const form = <QuestionForm question={{ ...QUESTION, ...question }} tool="mcp-lab.greet" />;
  const own = <ApprovalsProvider value={{ action: "/chat/con_1" }}>{form}</ApprovalsProvider>;
  return renderToStaticMarkup(isOwn ? own : form);
}

it("shows what comes from outside as text, with the server's name", () => {
  const label = "<script>alert(1)</script>";
  const drawn = draw({ fields: [{ name: "a", label, hint: label, kind: "text", required: true }] });
  expect(drawn).toContain("<bdi>&lt;b&gt;Lab&lt;/b&gt;</bdi> asks:");
  expect(drawn).toContain("&lt;i&gt;are&lt;/i&gt; you?");
  expect(drawn).not.toMatch(/<script|<i>/);
  expect(drawn).toContain("Never enter passwords");
});

it("has a choice of nothing, and the controls of the fields' kinds", () => {
  const field = { name: "a", label: "A", required: false };
  const options = [{ value: "a", label: "First" }];
  const drawn = draw({
    fields: [
      { ...field, kind: "choice", options },
      { ...field, kind: "choices", options, default: ["a"] },
      { ...field, kind: "integer", min: 1, max: 9 },
      { ...field, kind: "boolean", default: true },
      { ...field, kind: "text", format: "email" },
      { ...field, kind: "text", max: 2000 },
    ],
  });
  expect(drawn).toContain('<option value="" selected="">No choice</option>');
  const inputs = drawn.match(/<input[^>]*>/g) ?? [];
  const inputOf = (name: string) => inputs.find((input) => input.includes(`name="${name}"`));
  for (const text of ['type="checkbox"', 'value="a"', 'checked=""'])
    expect(inputOf("field-1")).toContain(text);
  for (const text of ['type="number"', 'min="1"', 'max="9"', 'step="1"'])
    expect(inputOf("field-2")).toContain(text);
  for (const text of ['role="switch"', 'checked=""']) expect(inputOf("field-3")).toContain(text);
  expect(drawn).toContain('type="email"');
  expect(drawn).toContain("<textarea");
});

it("has no form where another person reads it", () => {
  const drawn = draw({ url: "https://sign-in.example/" }, false);
  expect(drawn).not.toMatch(/<form|<button|href/);
  expect(drawn).toContain("the conversation&#x27;s owner");
});
