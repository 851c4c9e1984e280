import { expect, it } from "vitest";
import { changeProse, closeFence } from "./export-texts";

it.each([
  ["no code", "Hello", "Hello"],
  ["closed code", "```js\n1\n```\nBye", "```js\n1\n```\nBye"],
  ["open code", "```js\n1", "```js\n1\n```"],
  ["an open block that holds shorter fences", "````\n```\n1", "````\n```\n1\n````"],
  ["another kind of fence inside", "~~~\n```\n1", "~~~\n```\n1\n~~~"],
  ["code in a line", "```one line``` and more", "```one line``` and more"],
  ["closed code of a list", "- ```sh\n  npm i\n  ```", "- ```sh\n  npm i\n  ```"],
  ["open code of a list, which ends with it", "1. Run:\n   ```sh\n   npm i", "1. Run:\n   ```sh\n   npm i"],
  ["a fence with words inside code", "```\n```js\n1", "```\n```js\n1\n```"],
])("closes what is left open of %s", (_, markdown, closed) => {
  expect(closeFence(markdown)).toBe(closed);
});

const louder = (text: string) => changeProse(text, (prose) => prose.toUpperCase());

it("changes prose and leaves code", () => {
  expect(louder("a `b` c ``d ` e`` f")).toBe("A `b` C ``d ` e`` F");
  expect(louder("a\n```js\nb `c`\n``\n```\nd")).toBe("A\n```js\nb `c`\n``\n```\nD");
  expect(louder("- a\n  ~~~\n  b\n  ```\n  ~~~\n- c")).toBe("- A\n  ~~~\n  b\n  ```\n  ~~~\n- C");
});

it("takes backticks that enclose nothing as text", () => {
  expect(louder("a ` b `` c")).toBe("A ` B `` C");
  expect(louder("```a``` b\nc")).toBe("```a``` B\nC");
});
