import { describe, expect, it } from "vitest";
import { wireName, writtenName } from "./wire-names.service.server";

const long = "a".repeat(120);
const NASTY = [
  "web.fetch",
  "kv.set",
  "a.b_c",
  "a_b.c",
  "a.b.c",
  "a.b__c",
  "a__b.c",
  "a_.b",
  "a._b",
  "a__.b",
  "a.__b",
  "a_b_c",
  "a__b_c",
  "abc",
  "a b.c",
  "a-b.c",
  "a/b.c",
  "A.b",
  "a.B",
  ".b",
  "a.",
  ".",
  "",
  "1a.b",
  "_a.b",
  "ä.b",
  "a.ü",
  "a.\ud83d\ude00",
  long,
  `${long}b`,
  `a.${long}`,
  `a.${long}b`,
  `${long}.a`,
  `${long}b.a`,
  `a.${"x".repeat(61)}`,
  `a.${"x".repeat(62)}`,
];

describe("a tool's name on the wire", () => {
  it.each([
    ["web.fetch", "web__fetch"],
    ["kv.set", "kv__set"],
    ["my_plugin.do__it", "my_plugin__do__it"],
    [`a.${"x".repeat(61)}`, `a__${"x".repeat(61)}`],
  ])("keeps %s readable as %s", (name, wire) => {
    expect(wireName(name)).toBe(wire);
    expect(writtenName(wire)).toBe(name);
  });

  it("is never shared by two tools, fits every model API and is the same each time", () => {
    const wires = NASTY.map(wireName);
    expect(new Set(wires).size).toBe(NASTY.length);
    for (const wire of wires) expect(wire).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/);
    expect(NASTY.map(wireName)).toEqual(wires);
  });

  it("can't be taken by a tool that is named like another's hashed form", () => {
    const plainName = wireName("a b.c");
    const [group = "", ...rest] = plainName.split("__");
    expect(wireName(`${group}.${rest.join("__")}`)).not.toBe(plainName);
    expect(wireName(plainName)).not.toBe(plainName);
  });

  it("is not shared by any two of the short names of difficult characters", () => {
    const letters = ["a", "_", ".", "-", "1", " "];
    let names = [""];
    for (let length = 0; length < 5; length++) {
      names = [
        ...names,
        ...names
          .filter((name) => name.length === length)
          .flatMap((name) => letters.map((letter) => name + letter)),
      ];
    }
    expect(new Set(names.map(wireName)).size).toBe(new Set(names).size);
  });
});
