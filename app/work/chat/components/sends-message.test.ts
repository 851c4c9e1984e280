import { expect, it } from "vitest";
import { editsLast, sendsMessage } from "./sends-message";

const press = (keys: Partial<Parameters<typeof sendsMessage>[0]> = {}) => ({
  key: "Enter",
  shiftKey: false,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  isComposing: false,
  ...keys,
});

it.each([
  ["Enter", {}, true, false],
  ["Shift+Enter", { shiftKey: true }, false, false],
  ["Ctrl+Enter", { ctrlKey: true }, true, true],
  ["Cmd+Enter", { metaKey: true }, true, true],
  ["Enter that ends a composed character", { isComposing: true }, false, false],
  ["another key", { key: "a" }, false, false],
])("%s: %o", (_, keys, sends, sendsWithout) => {
  expect(sendsMessage(press(keys), true)).toBe(sends);
  expect(sendsMessage(press(keys), false)).toBe(sendsWithout);
});

it("opens the last message by Up alone", () => {
  expect(editsLast(press({ key: "ArrowUp" }))).toBe(true);
  for (const more of [{ shiftKey: true }, { altKey: true }, { isComposing: true }, { key: "ArrowDown" }])
    expect(editsLast(press({ key: "ArrowUp", ...more }))).toBe(false);
});
