import { createLowlight } from "lowlight";
import { expect, it } from "vitest";
import { grammarsFor } from "./highlight-grammars";

it.each([
  ["python", ["python"]],
  ["PY", ["python"]],
  ["sh", ["bash"]],
  ["tsx", ["typescript", "xml"]],
  ["html", ["xml", "css", "javascript"]],
])("loads only the required grammars for %s", async (language, names) => {
  const found = grammarsFor(language);
  expect(Object.keys(found?.load ?? {})).toEqual(names);
  const lowlight = createLowlight();
  for (const [name, load] of Object.entries(found?.load ?? {}))
    lowlight.register(name, (await load()).default);
  expect(lowlight.registered(found?.name ?? "")).toBe(true);
});

it.each(["", "brainfuck", "constructor", "__proto__"])("returns undefined for %j", (language) => {
  expect(grammarsFor(language)).toBeUndefined();
});
