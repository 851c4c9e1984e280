import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { longPaste } from "../composer";
import { LongPaste } from "./long-paste";

const offer = (pasted: string | undefined, content: string) =>
  renderToStaticMarkup(<LongPaste pasted={pasted} content={content} onAttach={() => {}} onKeep={() => {}} />);

it("is offered as a file while the field holds it, with the field's line ends", () => {
  const pasted = longPaste("line\r\n".repeat(2_000));
  expect(pasted).toBe("line\n".repeat(2_000));
  expect(offer(pasted, `Summarize this:\n${pasted}`)).toContain("You pasted 10,000 characters");
  expect(offer(pasted, "It was deleted")).toBe("");
});

it("isn't offered for a short text", () => {
  expect(longPaste("x".repeat(8_000))).toBeUndefined();
  expect(offer(undefined, "x")).toBe("");
});
