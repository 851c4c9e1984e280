import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTestDatabase } from "../../tests/support/database";
import { rawDatabase } from "./db.server";
import { inSlices } from "./time-slices.server";

function spin(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

const rows = () => rawDatabase().prepare("SELECT n FROM numbers ORDER BY n").pluck().all();

describe("inSlices", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(() => {
    test = openTestDatabase();
    rawDatabase().exec("CREATE TABLE numbers (n INTEGER PRIMARY KEY)");
  });
  afterEach(() => test.close());

  const insert = (n: number) => rawDatabase().prepare("INSERT INTO numbers VALUES (?)").run(n);

  it("works on every item in order, with turns of the event loop between short transactions", async () => {
    let turns = 0;
    let running = true;
    const count = () => {
      turns += 1;
      if (running) setImmediate(count);
    };
    setImmediate(count);
    const items = Array.from({ length: 20 }, (_, index) => index);
    const done = await inSlices(
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

  it("does nothing for nothing", async () => {
    expect(await inSlices([], () => expect.unreachable())).toBe(0);
  });

  it("keeps what was committed when it is stopped, and makes no further slice", async () => {
    const stop = new AbortController();
    const working = inSlices(
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

  it("takes back the slice in which an item throws, and only that", async () => {
    const working = inSlices(
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
