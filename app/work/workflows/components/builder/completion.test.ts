import { expect, test } from "vitest";
import { Draft, type PartType } from "../../builder.schema";
import { complete, insertName, insertValue, namesFor } from "./completion";

const names = ["trigger", "steps.search", "size("].map((name) => ({ name, description: "" }));
const offered = (text: string, isExpression = false) =>
  complete(text, text.length, isExpression, names).map(({ name }) => name);

test("names are offered only inside braces in texts, but everywhere in expressions", () => {
  expect(offered("s")).toEqual([]);
  expect(offered("{{ s")).toEqual(["steps.search", "size("]);
  expect(offered("{{ ")).toHaveLength(3);
  expect(offered("{{ trigger.a }} s")).toEqual([]);
  expect(offered("size(tr", true)).toEqual(["trigger"]);
  expect(offered("a + ", true)).toEqual([]);
});

test("a chosen name replaces the typed prefix at the cursor", () => {
  expect(insertName("{{ ste }}", 6, "steps.search", false)).toEqual({
    text: "{{ steps.search }}",
    cursor: 15,
  });
  expect(insertName("size(ste", 8, "steps.search", true).text).toBe("size(steps.search");
});

test("a chosen name closes its braces, but not those of a text after it", () => {
  expect(insertName("Hi {{", 5, "trigger", false)).toEqual({ text: "Hi {{ trigger }}", cursor: 16 });
  expect(insertName("{{ tr and {{ b }}", 5, "trigger", false).text).toBe("{{ trigger }} and {{ b }}");
  expect(insertName("{{ si", 5, "size(", false).text).toBe("{{ size(");
});

test("names are found by any part of them", () => {
  expect(offered("{{ earch")).toEqual(["steps.search"]);
});

test("a value is inserted with its braces", () => {
  expect(insertValue("Hi !", 3, "trigger.name", false)).toEqual({
    text: "Hi {{ trigger.name }}!",
    cursor: 21,
  });
  expect(insertValue("{{ size() }}", 8, "trigger", false).text).toBe("{{ size(trigger) }}");
  expect(insertValue(" > 0", 0, "steps.a.n", true).text).toBe("steps.a.n > 0");
});

test("a step is offered the outputs of the trigger and of earlier steps, with their fields", () => {
  const type = (kind: PartType["kind"], name: string, output: string): PartType => ({
    kind,
    type: name,
    label: name.toUpperCase(),
    description: "",
    category: "",
    icon: "",
    node: "action",
    defaults: {},
    fields: [],
    outputs: [{ name: output, description: "It" }],
    branches: [],
  });
  const types = [type("triggers", "hook", "body"), type("steps", "find", "text")];
  const step = (id: string) => ({ id, type: "find" });
  const draft = Draft.parse({
    triggers: [{ id: "t", type: "hook" }],
    steps: [step("a"), step("b"), step("c")],
  });
  const completions = (of: Draft) => namesFor(of, "b", names, types).map(({ name }) => name);
  expect(completions(draft)).toEqual([
    "trigger.body",
    "steps.a.text",
    "steps.a",
    "trigger",
    "steps.search",
    "size(",
  ]);
  expect(completions({ ...draft, connections: [{ from: "c", to: "b" }] })).toContain("steps.c.text");
  expect(namesFor(draft, "b", names, types)[1]?.description).toBe("FIND: It");
});

test("a branch is offered no output of those that run at the same time", () => {
  const step = (id: string, type = "log") => ({ id, type });
  const draft = Draft.parse({ steps: [step("a"), step("p", "parallel"), step("b"), step("c"), step("d")] });
  const offeredTo = (id: string) => namesFor(draft, id, [], []).map(({ name }) => name);
  expect(offeredTo("c")).toEqual(["steps.a", "steps.p"]);
  expect(offeredTo("d")).toEqual(["steps.a", "steps.p", "steps.b", "steps.c"]);
});
