import { describe, expect, it } from "vitest";
import { startInTurn } from "./express.server";

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Starts `count` at once and returns the order of starts and the turns between them. */
async function startTogether(count: number): Promise<(number | "turn")[]> {
  const seen: (number | "turn")[] = [];
  for (let n = 0; n < count; n++) startInTurn(() => seen.push(n));
  while (seen.filter((one) => one !== "turn").length < count) {
    seen.push("turn");
    await nextTurn();
  }
  await nextTurn();
  return seen;
}

describe("startInTurn", () => {
  it("starts a few at once", async () => {
    expect(await startTogether(4)).toEqual([0, 1, 2, 3]);
  });

  it("spreads many over turns, in order", async () => {
    expect(await startTogether(10)).toEqual([0, 1, 2, 3, "turn", 4, 5, 6, 7, "turn", 8, 9]);
  });

  it("lets a later request wait behind earlier ones", async () => {
    const seen: string[] = [];
    for (let n = 0; n < 5; n++) startInTurn(() => seen.push(String(n)));
    startInTurn(() => seen.push("late"));
    expect(seen).toEqual(["0", "1", "2", "3"]);
    await nextTurn();
    await nextTurn();
    expect(seen).toEqual(["0", "1", "2", "3", "4", "late"]);
  });
});
