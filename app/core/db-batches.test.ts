import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTestDatabase } from "../../tests/support/database";
import { rawDatabase, runInBatches } from "./db.server";

function spin(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

const rows = () => rawDatabase().prepare("SELECT n FROM numbers ORDER BY n").pluck().all();

describe("runInBatches", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(() => {
    test = openTestDatabase();
    rawDatabase().exec("CREATE TABLE numbers (n INTEGER PRIMARY KEY)");
  });
  afterEach(() => test.close());

  const insert = (n: number) => rawDatabase().prepare("INSERT INTO numbers VALUES (?)").run(n);

  it("processes every item in order, yielding between short transactions", async () => {
    let turns = 0;
    let running = true;
    const count = () => {
      turns += 1;
      if (running) setImmediate(count);
    };
    setImmediate(count);
    const items = Array.from({ length: 20 }, (_, index) => index);
    const done = await runInBatches(
      items,
      (_tx, n) => {
        expect(rawDatabase().inTransaction).toBe(true);
        insert(n);
        spin(2);
      },
      { budgetMs: 4 },
    );
    running = false;
    expect(done).toBe(20);
    expect(rows()).toEqual(items);
    expect(turns).toBeGreaterThanOrEqual(9);
  });

  it("shares no event-loop tick with other batches", async () => {
    let [turn, max] = [0, 0];
    const slices = new Map<number, number>();
    let running = true;
    const count = () => {
      turn += 1;
      if (running) setImmediate(count);
    };
    setImmediate(count);
    const work = () => {
      const inTurn = (slices.get(turn) ?? 0) + 1;
      slices.set(turn, inTurn);
      max = Math.max(max, inTurn);
    };
    const items = Array.from({ length: 10 }, (_, index) => index);
    await Promise.all([1, 2, 3].map(() => runInBatches(items, work, { budgetMs: 0 })));
    running = false;
    expect(slices.size).toBe(30);
    expect(max).toBe(1);
  });

  it("runs the callback after each transaction", async () => {
    const seen: unknown[] = [];
    await runInBatches([1, 2], (_tx, n) => insert(n), {
      budgetMs: 0,
      after: async () => {
        expect(rawDatabase().inTransaction).toBe(false);
        seen.push(rows());
      },
    });
    expect(seen).toEqual([[1], [1, 2]]);
  });

  it("does nothing for an empty list", async () => {
    expect(await runInBatches([], () => expect.unreachable())).toBe(0);
  });

  it("keeps committed batches and starts no other when stopped", async () => {
    const stop = new AbortController();
    const working = runInBatches(
      [1, 2, 3, 4],
      (_tx, n) => {
        insert(n);
        if (n === 2) stop.abort(new Error("enough"));
      },
      { budgetMs: 0, signal: stop.signal },
    );
    await expect(working).rejects.toThrow("enough");
    expect(rows()).toEqual([1, 2]);
  });

  it("rolls back only the batch in which an item throws", async () => {
    const working = runInBatches(
      [1, 2, 3],
      (_tx, n) => {
        insert(n);
        if (n === 3) throw new Error("not three");
      },
      { budgetMs: 0 },
    );
    await expect(working).rejects.toThrow("not three");
    expect(rows()).toEqual([1, 2]);
  });
});
