import { expect, it } from "vitest";
import { filledLength, fillPrompt, variablesOf } from "./prompt-variables.shared";

it("finds variables once, in their order, with the first default", () => {
  expect(variablesOf("Hi {{name}}, {{ tone=kind }} {{name=you}} {{tone=cold}}")).toEqual([
    { name: "name", fallback: "you", required: false },
    { name: "tone", fallback: "kind", required: false },
  ]);
  expect(variablesOf("{{who}} {{which=}} {{why=}}{{why}}")).toEqual([
    { name: "who", fallback: "", required: true },
    { name: "which", fallback: "", required: false },
    { name: "why", fallback: "", required: false },
  ]);
});

it.each(["{{}}", "{{ }}", "{{1st}}", "{name}", "{{a\nb}}", "{{{{}}}}", "{{a}b}}"])(
  "finds none in %s",
  (text) => expect(variablesOf(text)).toEqual([]),
);

it("fills in values, else defaults, and reads no variable in a value", () => {
  const values = new Map([
    ["name", "{{tone}} $& $1"],
    ["empty", ""],
  ]);
  expect(fillPrompt("{{name}}: {{tone=kind}} {{other}}{{empty=full}}.", values)).toBe(
    "{{tone}} $& $1: kind full.",
  );
  expect(filledLength("{{name}}: {{tone=kind}} {{other}}{{empty=full}}.", values)).toBe(26);
});

it("takes no longer for a long text of braces", () => {
  expect(variablesOf("{{".repeat(10_000))).toEqual([]);
  expect(variablesOf(`{{${"a ".repeat(10_000)}`)).toEqual([]);
});
