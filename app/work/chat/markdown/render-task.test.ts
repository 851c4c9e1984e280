import { expect, it } from "vitest";
import { renderPlain } from "./render-task";

it("renders texts plainly, and nothing for what has no text", () => {
  const { json, nodes } = renderPlain({ texts: ["**bold**", null] });
  expect(nodes).toBe(0);
  expect(JSON.parse(json).parts).toEqual([
    { length: 8, nodes: 0, blocks: [{ t: "plain", from: 0, to: 8 }] },
    null,
  ]);
});
