import { expect, it } from "vitest";
import { decodeJson, jsonBounds, parseJson } from "./parse";

it("refuses JSON that nests too deep before parsing it", () => {
  expect(() => parseJson("[".repeat(100_000))).toThrow("nests deeper than 64");
  expect(parseJson(`${"[".repeat(64)}${"]".repeat(64)}`)).toBeDefined();
});

it("counts no bracket and no comma inside a text", () => {
  expect(parseJson(JSON.stringify({ text: '[{"\\['.repeat(200) }))).toBeDefined();
  expect(parseJson(JSON.stringify({ text: ",".repeat(50_000) }))).toBeDefined();
});

it("sees where a text ends that has backslashes at its end", () => {
  const deep = "[".repeat(65) + "]".repeat(65);
  expect(() => parseJson(String.raw`{"a":"\\\\","b":${deep}}`)).toThrow("nests deeper than 64");
  expect(parseJson(JSON.stringify({ a: String.raw`\\"${deep}`, b: "\\" }))).toBeDefined();
  expect(() => parseJson(`"${deep}`)).toThrow("not valid JSON");
});

it("refuses JSON that holds too many values of any kind", () => {
  const list = (one: string, count: number) => `[${Array(count).fill(one).join(",")}]`;
  expect(parseJson(list("1", 20_000))).toHaveLength(20_000);
  expect(() => parseJson(list("1", 20_001))).toThrow("contains more than 20000 values");
  expect(() => parseJson(list("[]", 10_001))).toThrow("contains more than 20000 values");
});

it("refuses invalid UTF-8", () => {
  expect(() => decodeJson(new Uint8Array([0x22, 0xff, 0x22]))).toThrow("The body is not valid UTF-8.");
});

it("goes on counting from part to part, and after a line that is no JSON", () => {
  const excessOf = (parts: string[]) => {
    const check = jsonBounds(5);
    return parts.flatMap((part) => [...part].map((one) => check(one.charCodeAt(0)))).find(Boolean);
  };
  expect(excessOf(['["a', "\\", '",,,,,,', '"]'])).toBeUndefined();
  expect(excessOf(["[1,2", ",3,4,", "5,6]"])).toBe("contains more than 5 values");
  expect(excessOf([': a "comment\r\n', "data: [1,2,3,4,5,6]"])).toBe("contains more than 5 values");
});
