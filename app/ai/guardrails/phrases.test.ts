import { describe, expect, it } from "vitest";
import { BlockList, lengthBefore } from "./phrases";

const finds = (phrase: string, text: string) => new BlockList([phrase]).find(text) !== undefined;

describe("a block list", () => {
  it.each([
    ["red valve", "Open the RED   valve!"],
    ["red valve", "red\nvalve"],
    ["red valve", "the r\u200bed\u00ad valve"],
    ["red valve", "ｒｅｄ ｖａｌｖｅ"],
    ["café", "a cafe\u0301 nearby"],
    ["project-*", "about Project-Orca"],
    ["*valve", "the bluevalve"],
    ["acme * internal", "acme-2 internal: acme x internal"],
    ["秘密計画", "これは秘密計画です"],
  ])("finds %j in %j", (phrase, text) => expect(finds(phrase, text)).toBe(true));

  it.each([
    ["ass.", "class."],
    ["cat", "concatenate"],
    ["red valve", "red valves"],
    ["red valve", "redvalve"],
    ["a*b1", "a far b1"],
    ["project-*", "projects"],
  ])("doesn't find %j in %j", (phrase, text) => expect(finds(phrase, text)).toBe(false));

  it("names the line", () => {
    expect(new BlockList(["one thing", "other thing"]).find("the other thing")).toMatchObject({ line: 2 });
  });
});

it("counts visible characters from the end", () => {
  expect(lengthBefore("abcdef", 2)).toBe(4);
  expect(lengthBefore("ab\u200b\u200bc  d", 3)).toBe(4);
  expect(lengthBefore("a👍👍", 1)).toBe(3);
  expect(lengthBefore("ab", 9)).toBe(0);
});
