import { expect, it } from "vitest";
import { auditSentences, fillSentence } from "./audit-actions";
import { distinctNames } from "./names";
import { screens } from "./screens";

it("gives every audit action a sentence whose details can be filled in", () => {
  for (const [action, sentence] of Object.entries(auditSentences)) {
    const details = new Proxy({}, { get: () => "x" });
    expect([action, fillSentence(sentence, details)]).toEqual([
      action,
      expect.stringMatching(/^[A-Z][^{}]+$/),
    ]);
  }
});

it("gives no number key and no place in the navigation to two screens", () => {
  const keys = screens.flatMap((screen) => ("key" in screen ? [screen.key] : []));
  const sides = screens.flatMap((screen) => ("side" in screen ? [screen.side] : []));
  expect(new Set(keys).size).toBe(keys.length);
  expect(new Set(sides).size).toBe(sides.length);
});

it("tells items of one name apart by their ids, and leaves the others alone", () => {
  const items = [
    { id: "wfl_1aaaaaa", name: "Digest" },
    { id: "wfl_2bbbbbb", name: "Watch" },
    { id: "wfl_3cccccc", name: "Digest" },
  ];
  expect(distinctNames(items).map(({ name }) => name)).toEqual([
    "Digest (…aaaaaa)",
    "Watch",
    "Digest (…cccccc)",
  ]);
});
