import { describe, expect, test } from "vitest";
import { Draft, type PartType } from "./builder.schema";
import { addPart, changePart, movePart, removePart } from "./builder-draft.shared";
import { draftFromForm, readDraftJson, toWorkflowInput } from "./builder-form.shared";
import { applyOperation } from "./builder-operations.shared";

const partType = (type: string, rest: Partial<PartType> = {}): PartType => ({
  kind: "steps",
  type,
  label: type,
  description: "",
  category: "Logic",
  icon: "Workflow",
  node: "action",
  defaults: {},
  fields: [],
  outputs: [],
  branches: [],
  ...rest,
});

const types = [
  partType("manual", { kind: "triggers", node: "trigger" }),
  partType("chat", {
    defaults: { model: "", prompt: "", temperature: 0.7 },
    fields: [
      { name: "model", label: "Model", control: { kind: "model" } },
      { name: "prompt", label: "Prompt", control: { kind: "textarea" } },
      { name: "temperature", label: "Temperature", control: { kind: "number", min: 0, max: 2 } },
      { name: "strict", label: "Strict", control: { kind: "switch" } },
    ],
  }),
  partType("condition", {
    defaults: { condition: "", trueAction: "continue", falseAction: "stop" },
    branches: ["true", "false"],
  }),
];

const part = (id: string, type = "chat", config = {}) => ({ id, type, config });
const make = (draft: Partial<Draft> = {}) => Draft.parse(draft);
const ids = (draft: Draft) => draft.steps.map(({ id }) => id);

test("an added step has its type's defaults and a unique id", () => {
  const once = addPart(make(), types[1] as PartType).draft;
  const twice = addPart(once, types[1] as PartType);
  expect(twice.id).toBe("chat_2");
  expect(twice.draft.steps[1]).toEqual({
    id: "chat_2",
    type: "chat",
    config: { model: "", prompt: "", temperature: 0.7 },
  });
});

test("a full workflow accepts no further step", () => {
  const draft = make({ steps: Array.from({ length: 100 }, (_, index) => part(`s${index}`)) });
  expect(addPart(draft, types[1] as PartType).draft).toBe(draft);
  expect(applyOperation(draft, "duplicate.steps.0", types)).toBe(draft);
});

test("removing a step removes its connections and its use in conditions", () => {
  const draft = make({
    steps: [part("if", "condition", { falseAction: "b" }), part("a"), part("b")],
    connections: [
      { from: "if", to: "a" },
      { from: "a", to: "b" },
    ],
  });
  const after = removePart(draft, "steps", 2);
  expect(ids(after)).toEqual(["if", "a"]);
  expect(after.connections).toEqual([{ from: "if", to: "a" }]);
  expect(after.steps[0]?.config.falseAction).toBe("continue");
});

test("steps move by one position, but not past the ends", () => {
  const draft = make({ steps: [part("a"), part("b")] });
  expect(ids(movePart(draft, "steps", 1, -1))).toEqual(["b", "a"]);
  expect(ids(movePart(draft, "steps", 0, -1))).toEqual(["a", "b"]);
});

test("a copy follows its step and has a unique id", () => {
  const draft = make({ steps: [part("chat_1", "chat", { prompt: "Hi" }), part("b")] });
  const after = applyOperation(draft, "duplicate.steps.0", types);
  expect(ids(after)).toEqual(["chat_1", "chat_2", "b"]);
  expect(after.steps[1]?.config).toEqual({ prompt: "Hi" });
});

test("connections follow a changed id", () => {
  const draft = make({ steps: [part("a"), part("b")], connections: [{ from: "a", to: "b" }] });
  expect(changePart(draft, "steps", 1, { id: "c" }).connections).toEqual([{ from: "a", to: "c" }]);
});

describe("a submitted form", () => {
  const hidden = JSON.stringify({
    steps: [part("a", "chat", { prompt: "before", strict: true, kept: 1 })],
    connections: [{ from: "a", to: "a" }],
  });

  test("returns typed, cleared and switched-off values", () => {
    const draft = draftFromForm(
      { view: "list", name: "N", steps: [{ id: "b", config: { temperature: "0.5" } }] },
      types,
      readDraftJson(hidden),
    );
    expect(draft.name).toBe("N");
    expect(draft.steps).toEqual([
      {
        id: "b",
        type: "chat",
        config: { model: "", prompt: "", temperature: "0.5", strict: false, kept: 1 },
      },
    ]);
    expect(draft.connections).toEqual([]);
  });

  test("uses only the hidden draft from the canvas, and an empty one if it is invalid", () => {
    const draft = draftFromForm({ view: "canvas" }, types, readDraftJson(hidden));
    expect(draft.steps[0]?.config.prompt).toBe("before");
    expect(draftFromForm({ view: "canvas" }, types, readDraftJson("{")).steps).toEqual([]);
  });

  test("is read in the browser as on the server, without unknown values", () => {
    const whole = {
      id: "wf_1",
      version: 2,
      triggers: [part("t", "manual")],
      steps: [
        {
          ...part("a", "chat"),
          condition: { match: "any", rows: [{ field: "a", operator: "==", value: "" }] },
        },
      ],
      connections: [{ from: "t", to: "a" }],
    };
    expect(readDraftJson(JSON.stringify(whole))).toEqual(Draft.parse(whole));
    const broken = {
      steps: [7, { id: 1 }, { ...part("a", "chat"), condition: { rows: [null] } }],
      triggers: 1,
    };
    expect(readDraftJson(JSON.stringify(broken))).toEqual(Draft.parse({ steps: [part("a", "chat")] }));
  });
});

test("the saved input has numbers, the workflow's model and no blank rows", () => {
  const draft = make({
    name: "N",
    model: "gpt-4o",
    steps: [
      { ...part("a", "chat", { model: "", temperature: "0.5" }), options: { retries: "2", onError: "stop" } },
      part("b", "chat", { model: "own", temperature: "" }),
    ],
    connections: [{ from: "", to: "" }],
  });
  expect(toWorkflowInput(draft, types)).toMatchObject({
    steps: [
      { config: { model: "gpt-4o", temperature: 0.5 }, options: { retries: 2 } },
      { config: { model: "own" } },
    ],
    connections: [],
  });
});

test("the list's buttons remove a step, and move it down", () => {
  const draft = make({ steps: [part("a"), part("b"), part("c")] });
  expect(ids(applyOperation(draft, "remove.steps.1", types)), "the second is removed").toEqual(["a", "c"]);
  expect(ids(applyOperation(draft, "down.steps.0", types)), "the first is moved").toEqual(["b", "a", "c"]);
  expect(ids(applyOperation(draft, "up.steps.2", types)), "the last is moved").toEqual(["a", "c", "b"]);
});

test.each(["", "{", undefined])("a form without a readable draft (%j) begins an empty one", (json) => {
  const draft = readDraftJson(json);
  expect([draft.name, draft.triggers, draft.steps]).toEqual(["", [], []]);
});
