import { describe, expect, test } from "vitest";
import { Draft, type PartType } from "./builder.schema";
import { connectionsOf, removePart } from "./builder-draft.shared";
import { applyOperation, listSpots } from "./builder-operations.shared";
import {
  addAfter,
  connect,
  copyParts,
  insertPart,
  makeRoom,
  pasteParts,
  refusedLine,
} from "./graph-edits.shared";
import { findCycle } from "./workflows.shared";

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
const log = partType("log");
const condition = partType("condition", {
  defaults: { condition: "", trueAction: "continue", falseAction: "stop" },
  branches: ["true", "false"],
});
const types = [
  partType("manual", { kind: "triggers", node: "trigger" }),
  log,
  condition,
  partType("parallel"),
  partType("while", { branches: ["repeat", "done"] }),
  partType("approval", { branches: ["approved", "refused"] }),
];

const part = (id: string, type = "log", config = {}) => ({ id, type, config });
const step = (id: string) => part(id);
const list = (...ids: string[]) => Draft.parse({ triggers: [part("t", "manual")], steps: ids.map(step) });
const lines = (draft: Draft) =>
  connectionsOf(draft, types).map(({ from, to, branch }) => `${from}${branch ? `.${branch}` : ""}>${to}`);
const line = (text: string) => {
  const [source = "", to = ""] = text.split(">");
  const [from = "", branch] = source.split(".");
  return { from, to, ...(branch ? { branch } : {}) };
};
const graph = (ids: string[], ...connections: string[]) => ({
  ...list(...ids),
  connections: connections.map(line),
});

describe("the order of a list", () => {
  const order = (...steps: ReturnType<typeof part>[]) =>
    lines(Draft.parse({ triggers: [part("t", "manual")], steps }));

  test("splits at Parallel, and joins after its branches", () => {
    expect(order(part("p", "parallel"), part("ask", "approval"), step("b"), step("c"))).toEqual([
      "t>p",
      "p>ask",
      "p>b",
      "ask.approved>c",
      "b>c",
    ]);
  });

  test("repeats the steps of While, with branches among them", () => {
    const loop = part("w", "while", { bodySteps: 3 });
    expect(order(loop, part("p", "parallel"), step("a"), step("b"), step("c"))).toEqual([
      "t>w",
      "w.repeat>p",
      "w.done>c",
      "p>a",
      "p>b",
    ]);
  });
});

test("a branch that is added to Parallel joins where the others meet", () => {
  const split = (...connections: string[]) => {
    const draft = graph(["a", "b", "c"], "t>p", "p>a", "p>b", ...connections);
    return lines(
      insertPart({ ...draft, steps: [part("p", "parallel"), ...draft.steps] }, log, { from: "p" }, types)
        .draft,
    ).filter((text) => text.includes("log_1"));
  };
  expect(split("a>c", "b>c")).toEqual(["p>log_1", "log_1>c"]);
  expect(split("a>c")).toEqual(["p>log_1"]);
});

describe("a drawn line", () => {
  test("back to an earlier step of a list moves its step before that one", () => {
    expect(lines(connect(list("ai", "http"), line("http>ai"), types))).toEqual(["t>http", "http>ai"]);
    expect(lines(connect(list("a", "b", "c", "d"), line("c>a"), types))).toEqual([
      "t>c",
      "c>a",
      "a>b",
      "b>d",
    ]);
  });

  test("to a later step of a list replaces its line from its neighbor", () => {
    expect(lines(connect(list("a", "b", "c", "d"), line("a>c"), types))).toEqual([
      "t>a",
      "a>b",
      "c>d",
      "a>c",
    ]);
  });

  test("keeps the branches that lead to its step", () => {
    const draft = {
      ...list("if", "b", "c"),
      steps: [part("if", "condition", { trueAction: "continue", falseAction: "c" }), step("b"), step("c")],
    };
    expect(lines(draft)).toEqual(["t>if", "if.true>b", "if.false>c", "b>c"]);
    expect(lines(connect(draft, line("t>c"), types))).toEqual(["t>if", "if.true>b", "if.false>c", "t>c"]);
  });

  test("beside others of its exit begins a branch that runs as well, and may join again", () => {
    const draft = graph(["a", "b", "c", "d"], "t>a", "a>b", "b>d");
    const forked = connect(draft, line("a>c"), types);
    expect(lines(connect(forked, line("c>d"), types))).toEqual(["t>a", "a>b", "b>d", "a>c", "c>d"]);
    expect(connect(forked, line("a>c"), types)).toBe(forked);
  });

  test.each([
    ["closes a cycle", "c>a", "The steps form a cycle: "],
    ["leads to its own step", "b>b", "The steps form a cycle: b → b."],
    ["leads to a trigger", "b>t", `The trigger "t" can't have incoming connections`],
  ])("that %s is refused as by a save", (_, text, message) => {
    const draft = graph(["a", "b", "c"], "t>a", "a>b", "b>c");
    expect(refusedLine(draft, line(text))).toContain(message);
    expect(connect(draft, line(text), types)).toBe(draft);
  });

  test("can close no cycle in any order of drawing", () => {
    const ids = ["a", "b", "c", "d"];
    const all = ids.flatMap((from) => ids.map((to) => `${from}>${to}`));
    for (let first = 0; first < all.length; first += 1) {
      let draft = list(...ids);
      for (const text of [...all.slice(first), ...all.slice(0, first)])
        draft = connect(draft, line(text), types);
      expect(findCycle(draft.steps, draft.connections), `beginning with ${all[first]}`).toBeUndefined();
    }
  });
});

describe("an inserted step", () => {
  const insert = (draft: Draft, text: string, type = log) => {
    const { from, to, branch } = line(text);
    return insertPart(draft, type, { from, branch, to: to || undefined }, types).draft;
  };

  test("follows every trigger if it is the first", () => {
    const draft = Draft.parse({ triggers: [part("t", "manual"), part("u", "manual")] });
    expect(lines(insert(draft, "u>"))).toEqual(["t>log_1", "u>log_1"]);
    expect(lines(addAfter(draft, log, "u", types).draft)).toEqual(["t>log_1", "u>log_1"]);
  });

  test("on a dashed line stays in the list", () => {
    const draft = insert(list("a", "b"), "a>b");
    expect(draft.connections).toEqual([]);
    expect(lines(draft)).toEqual(["t>a", "a>log_1", "log_1>b"]);
    expect(lines(insert(list("a"), "t>a"))).toEqual(["t>log_1", "log_1>a"]);
  });

  test("on a drawn line takes its place, and leads on by its main branch", () => {
    const draft = graph(["a", "b", "c"], "t>a", "a>b", "a>c");
    expect(lines(insert(draft, "a>b"))).toEqual(["t>a", "a>c", "a>log_1", "log_1>b"]);
    expect(lines(insert(draft, "a>b", condition))).toContain("condition_1.true>b");
  });

  test("after a free exit keeps the list's order as lines", () => {
    const draft = {
      ...list("if", "b"),
      steps: [part("if", "condition", { falseAction: "stop" }), step("b")],
    };
    expect(lines(insert(draft, "if.false>"))).toEqual(["t>if", "if.true>b", "if.false>log_1"]);
  });

  test("follows the selected one, by its first free branch or on its line", () => {
    const add = (draft: Draft, after?: string) => lines(addAfter(draft, log, after, types).draft);
    expect(add(list("a", "b"))).toEqual(["t>a", "a>b", "b>log_1"]);
    expect(add(list("a", "b"), "a")).toEqual(["t>a", "a>log_1", "log_1>b"]);
    expect(add(graph(["a", "b"], "t>a", "a>b"), "a")).toEqual(["t>a", "a>log_1", "log_1>b"]);
    const draft = {
      ...list("if", "a"),
      steps: [part("if", "condition"), step("a")],
      connections: [line("if.true>a")],
    };
    expect(add(draft, "if")).toEqual(["if.true>a", "if.false>log_1"]);
  });

  test("is placed by the list's form as well", () => {
    const draft = graph(["a", "b"], "t>a", "a>b");
    expect(listSpots(draft, types).map(({ label }) => label)).toEqual(["manual → log", "log → log"]);
    const add = (at: string) => lines(applyOperation(draft, "add.steps", types, { type: "log", at }));
    expect(add("a>b:")).toEqual(["t>a", "a>log_1", "log_1>b"]);
    expect(add("gone>b:"), "a line that is gone").toEqual(["t>a", "a>b"]);
  });
});

test("a removed step leaves what followed it connected to what came before", () => {
  const draft = graph(["a", "b", "c"], "t>a", "a>b", "b>c", "a>c");
  expect(lines(removePart(draft, "steps", 1))).toEqual(["t>a", "a>c"]);
  expect(lines(removePart(draft, "steps", 0))).toEqual(["b>c", "t>b", "t>c"]);
});

test("what follows an inserted step moves down if it is too near", () => {
  const draft = graph(["a", "new", "b", "c"], "a>new", "new>b", "b>c");
  const at = (y: number) => ({ x: 0, y });
  const positions = new Map([
    ["a", at(0)],
    ["b", at(130)],
    ["c", at(260)],
  ]);
  const after = makeRoom(positions, { draft, id: "new", at: at(130), gap: 130 }, types);
  expect(Object.fromEntries(after)).toEqual({ a: at(0), new: at(130), b: at(260), c: at(390) });
  const far = makeRoom(
    new Map([...positions, ["b", at(500)]]),
    { draft, id: "new", at: at(130), gap: 130 },
    types,
  );
  expect(far.get("b")).toEqual(at(500));
});

describe("copies", () => {
  const draft = Draft.parse({
    triggers: [part("t", "manual")],
    steps: [
      step("log_1"),
      part("log_2", "log", { message: `{{ steps.log_1.text }} {{ steps["log_1"].n }} {{ steps.log_11.x }}` }),
      part("if", "condition", { condition: "steps.log_2.ok", trueAction: "log_1" }),
    ],
    connections: [line("t>log_1"), line("log_1>log_2"), line("log_2>if")],
  });
  const copy = (of: Draft, ...ids: string[]) =>
    copyParts(of, new Set(ids), new Map([["log_1", { x: 5, y: 6 }]]), types);

  test("have new ids, by which they name each other, and the lines between them", () => {
    const copied = copy(draft, "log_1", "log_2", "if");
    const { draft: after, ids } = pasteParts(draft, copied, { x: 10, y: 10 }, types);
    expect(ids).toEqual(["log_3", "log_4", "condition_1"]);
    expect(after.steps.slice(3)).toMatchObject([
      { id: "log_3", position: { x: 15, y: 16 } },
      { config: { message: "{{ steps.log_3.text }} {{ steps.log_3.n }} {{ steps.log_11.x }}" } },
      { config: { condition: "steps.log_4.ok", trueAction: "log_3" } },
    ]);
    expect(lines(after).slice(3)).toEqual(["log_3>log_4", "log_4>condition_1"]);
    expect(lines(after).slice(0, 3), "the original's lines").toEqual(lines(draft));
  });

  test("of a part of a list are appended to a list, and connected within a graph", () => {
    const copied = copy(list("a", "b"), "a", "b");
    const pasted = (into: Draft) => lines(pasteParts(into, copied, { x: 0, y: 0 }, types).draft);
    expect(pasted(list("a", "b"))).toEqual(["t>a", "a>b", "b>log_1", "log_1>log_2"]);
    expect(pasted(graph(["a", "b"], "t>a", "t>b"))).toEqual(["t>a", "t>b", "log_1>log_2"]);
  });

  test("need room for all of them", () => {
    const full = list(...Array.from({ length: 99 }, (_, index) => `s${index}`));
    const result = pasteParts(full, copy(draft, "log_1", "log_2"), { x: 0, y: 0 }, types);
    expect(result).toEqual({ draft: full, ids: [] });
  });
});
