import { expect, it } from "vitest";
import { compareLines, compareTools } from "./differences";

const marks = (before: string, after: string) =>
  compareLines([...before], [...after])
    .map(({ kind, text }) => ({ same: "", added: "+", removed: "-", gap: "…" })[kind] + text)
    .join(" ");

it("shows what was added and removed among equal lines", () => {
  expect(marks("abcd", "abxd")).toBe("a b -c +x d");
  expect(marks("", "ab")).toBe("+a +b");
  expect(marks("abc", "")).toBe("-a -b -c");
  expect(marks("aa", "aaa")).toBe("a a +a");
  expect(marks("abcabba", "cbabac")).toBe("-a -b c -a b +a b a +c");
});

it("compares descriptions by sentence and schemas by line, omitting distant lines", () => {
  const properties = Object.fromEntries([..."abcdefgh"].map((name) => [name, { type: "string" }]));
  const before = { description: "Finds things. Fast.", inputSchema: { type: "object", properties } };
  const changed = {
    description: "Finds things. Also sends keys. Fast.",
    inputSchema: { type: "object", properties: { ...properties, h: { type: "number" } } },
  };
  const { description, schema } = compareTools(before, changed);
  expect(description).toEqual([
    { kind: "same", text: "Finds things." },
    { kind: "added", text: "Also sends keys." },
    { kind: "same", text: "Fast." },
  ]);
  expect(schema.map(({ kind }) => kind)).toEqual([
    "gap",
    "same",
    "same",
    "removed",
    "added",
    "same",
    "same",
    "gap",
  ]);
  expect(compareTools(before, { ...before })).toEqual({ description: [], schema: [] });
});

it("limits the shown length of any text", () => {
  const long = (prefix: string) => Array.from({ length: 1500 }, (_, index) => `${prefix}${index}`);
  expect(compareLines(long("a"), long("b"))).toHaveLength(3000);
});
