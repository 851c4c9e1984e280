import { expect, it } from "vitest";
import type { QuestionField } from "./question.schema";
import { checkContent, contentOf, controlName } from "./question.shared";

const field = (kind: QuestionField["kind"], more: Partial<QuestionField> = {}): QuestionField => ({
  name: "it",
  label: "It",
  kind,
  required: false,
  ...more,
});
const options = [
  { value: "a", label: "A" },
  { value: "b", label: "B" },
];

it.each([
  [field("text", { max: 3 }), "abc", "abcd", "Use at most 3 characters"],
  [field("text", { min: 2, max: 2 }), "ab", "a", "Use exactly 2 characters"],
  [field("text", { min: 2 }), "ab", 7, "Enter text"],
  [field("text", { format: "email" }), "ada@example.org", "ada@", "Enter an email address"],
  [
    field("text", { format: "uri" }),
    "https://example.org",
    "example",
    "Enter an address such as https://example.org",
  ],
  [field("text", { format: "date" }), "2028-02-29", "2027-02-29", "Enter a date such as 2026-03-31"],
  [
    field("text", { format: "date-time" }),
    "2026-03-31T14:30:00+02:00",
    "2026-03-31T14:30",
    "Enter a date and time with its offset, such as 2026-03-31T14:30:00Z",
  ],
  [field("number", { min: 1, max: 1000 }), 3.14, 0, "Enter a number: 1 to 1,000"],
  [field("number"), -1, "x", "Enter a number"],
  [field("number"), 0, Number.NaN, "Enter a number"],
  [field("integer", { max: 9 }), 9, 1.5, "Enter a whole number"],
  [field("boolean"), false, "yes", "Choose true or false"],
  [field("choice", { options }), "a", "c", "Choose from the list"],
  [field("choices", { options, min: 1, max: 1 }), ["b"], ["a", "b"], "Choose exactly 1"],
  [field("choices", { options }), ["b"], ["c"], "Choose from the list"],
  [field("choices", { options }), ["b"], ["b", "b"], "Choose each option once"],
])("a field %j takes %j, and for %j says %s", (one, good, bad, message) => {
  expect(checkContent([one], { it: good })).toEqual({ content: { it: good } });
  expect(checkContent([one], { it: bad })).toEqual({ problems: new Map([[0, message]]) });
});

it("asks for what is required, and leaves out what isn't given", () => {
  const kinds = ["text", "number", "boolean", "choice", "choices"] as const;
  const fields = kinds.map((kind) => field(kind, { name: kind, options, min: kind === "choices" ? 1 : 0 }));
  expect(checkContent(fields, { text: "", choices: [] })).toEqual({ content: {} });
  const required = fields.map((one) => ({ ...one, required: true }));
  expect(checkContent(required, {})).toEqual({
    problems: new Map([
      [0, "Enter a value"],
      [1, "Enter a value"],
      [2, "Enter a value"],
      [3, "Choose an option"],
      [4, "Choose an option"],
    ]),
  });
  expect(checkContent([field("choices", { options, required: true })], {})).toEqual({ content: { it: [] } });
});

it("sends nothing that wasn't asked for, whatever its name", () => {
  expect(checkContent([field("text")], { it: "a", other: "b" })).toEqual({ content: { it: "a" } });
  expect(checkContent([field("text", { name: "constructor" })], {})).toEqual({ content: {} });
  const hostile = checkContent([field("text", { name: "__proto__" })], JSON.parse('{"__proto__":"x"}'));
  expect(Object.entries((hostile as { content: object }).content)).toEqual([["__proto__", "x"]]);
});

it("reads a form's texts as the kinds of its fields", () => {
  const fields = [
    field("text", { name: "__proto__" }),
    field("integer", { name: "n" }),
    field("integer", { name: "bad" }),
    field("boolean", { name: "off" }),
    field("boolean", { name: "on" }),
    field("choices", { name: "many" }),
    field("text", { name: "blank" }),
  ];
  const typed: Record<string, string[]> = {
    [controlName(0)]: [" Ada "],
    [controlName(1)]: ["42"],
    [controlName(2)]: ["4x"],
    [controlName(4)]: ["on"],
    [controlName(5)]: ["a", "b"],
    [controlName(6)]: [""],
  };
  expect(Object.entries(contentOf(fields, (name) => typed[name] ?? []))).toEqual([
    ["__proto__", "Ada"],
    ["n", 42],
    ["bad", "4x"],
    ["off", false],
    ["on", true],
    ["many", ["a", "b"]],
  ]);
});
