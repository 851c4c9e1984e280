import { expect, it } from "vitest";
import type { Copied } from "../../graph-edits.shared";
import { readCopied, writeCopied } from "./canvas-clipboard";

const COPIED: Copied = {
  triggers: [{ id: "manual", type: "manual", config: {} }],
  steps: [
    { id: "log", type: "log", name: "Note", config: { message: "Done" }, position: { x: 10, y: 20 } },
    { id: "return", type: "return", config: { value: "steps.log" } },
  ],
  connections: [{ from: "log", to: "return" }],
  isList: false,
};

it("reads what was copied, in this or another window", () => {
  expect(readCopied(writeCopied(COPIED))).toEqual(COPIED);
});

it.each([
  ["another text", "workflow-parts are fun"],
  ["another object", JSON.stringify({ is: "else", note: "workflow-parts" })],
  ["nothing but null", "null // workflow-parts"],
  ["more than half a million characters", writeCopied(COPIED) + " ".repeat(500_000)],
])("takes %s for no parts", (_, text) => {
  expect(readCopied(text)).toBeUndefined();
});

it("keeps of a foreign text what parts have, and no more", () => {
  const text = JSON.stringify({
    is: "workflow-parts",
    steps: [{ id: "log", type: "log", config: {}, position: { x: "far", y: null }, secret: "own" }],
  });
  expect(readCopied(text)).toMatchObject({
    triggers: [],
    steps: [{ id: "log", type: "log", config: {} }],
    connections: [],
    isList: false,
  });
  expect(JSON.stringify(readCopied(text))).not.toMatch(/secret|position/);
});
