import { expect, it } from "vitest";
import { changeProse } from "./change-prose";

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
