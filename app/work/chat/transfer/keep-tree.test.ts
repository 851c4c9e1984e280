import { expect, it } from "vitest";
import { type ExportNode, keepTree } from "./keep-tree";

/** A node written as "id<parent role text time". */
function nodesOf(...written: [id: string, parent: string | null, role: "user" | "assistant", at?: number][]) {
  return new Map(
    written.map(([id, parent, role, createdAt]): [string, ExportNode] => [
      id,
      { id, parent, message: { role, text: id.toUpperCase(), model: null, createdAt: createdAt ?? null } },
    ]),
  );
}
function keep(nodes: ReadonlyMap<string, ExportNode>, last: string) {
  const { messages, shown } = keepTree(nodes, last, new Map());
  return { said: messages.map(({ text, parent }) => [text, parent]), shown };
}

it("lists a message's versions from the oldest, regardless of the shown one", () => {
  const nodes = nodesOf(
    ["q", null, "user", 1],
    ["first", "q", "assistant", 2],
    ["second", "q", "assistant", 3],
    ["then", "first", "user", 4],
  );
  expect(keep(nodes, "second")).toEqual({
    said: [
      ["Q", null],
      ["FIRST", 0],
      ["SECOND", 0],
      ["THEN", 1],
    ],
    shown: 2,
  });
});

it("merges an answer's pieces, and adds a version where they branch", () => {
  const nodes = nodesOf(
    ["q", null, "user"],
    ["a", "q", "assistant"],
    ["b", "a", "assistant"],
    ["c", "a", "assistant"],
  );
  expect(keep(nodes, "b")).toEqual({
    said: [
      ["Q", null],
      ["A\n\nB", 0],
      ["A\n\nC", 0],
    ],
    shown: 1,
  });
});

it("terminates for cyclic and missing parents", () => {
  const nodes = nodesOf(
    ["q", "gone", "user"],
    ["a", "q", "assistant"],
    ["x", "y", "user"],
    ["y", "x", "assistant"],
  );
  expect(keep(nodes, "a").said).toEqual([
    ["Q", null],
    ["A", 0],
    ["Y", null],
    ["X", 2],
  ]);
});

it("keeps each message after its parent, regardless of their times", () => {
  const nodes = nodesOf(["q", null, "user", 9], ["a", "q", "assistant", 1], ["b", "a", "user", 5]);
  expect(keep(nodes, "b")).toEqual({
    said: [
      ["Q", null],
      ["A", 0],
      ["B", 1],
    ],
    shown: 2,
  });
});

it("keeps the shown branch first of too many messages, and counts the others", () => {
  const others = Array.from({ length: 5_000 }, (_, n) => [`o${n}`, "q", "assistant"] as const);
  const nodes = nodesOf(["q", null, "user"], ...others.map((one): [string, string, "assistant"] => [...one]));
  const leftOut = new Map<string, number>();
  const { messages, shown } = keepTree(nodes, "o4999", leftOut);
  expect([messages.length, messages[shown]?.text]).toEqual([5_000, "O4999"]);
  expect([...leftOut]).toEqual([
    ["messages beyond the first 5,000 or 20 million characters of a conversation", 1],
  ]);
});

it("limits the text that branches within a long answer repeat", () => {
  const nodes = nodesOf(
    ["a", null, "assistant"],
    ["b", "a", "assistant"],
    ["c", "a", "assistant"],
    ["d", "a", "assistant"],
  );
  const root = nodes.get("a");
  if (root?.message) root.message.text = "x".repeat(8_000_000);
  const leftOut = new Map<string, number>();
  expect(keepTree(nodes, "b", leftOut).messages).toHaveLength(2);
  expect([...leftOut]).toEqual([
    ["messages beyond the first 5,000 or 20 million characters of a conversation", 1],
    ["messages truncated at 200,000 characters", 2],
  ]);
});
