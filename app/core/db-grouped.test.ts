import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { kvEntries } from "~db/schema";
import { ORG_ID, openTestDatabase } from "../../tests/support/database";
import { type Db, db, groupedTransaction, onCommit, rawDatabase } from "./db.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(() => test.close());

const put = (key: string) => (tx: Db) => {
  tx.insert(kvEntries).values({ orgId: ORG_ID, key, value: "", updatedBy: "usr_member", updatedAt: 0 }).run();
  return key;
};
const stored = () =>
  db()
    .select({ key: kvEntries.key })
    .from(kvEntries)
    .all()
    .map(({ key }) => key);

describe("transactions that share a commit", () => {
  it("commits once for all writes of one tick and resolves each", async () => {
    const exec = vi.spyOn(rawDatabase(), "exec");
    const results = await Promise.all(["a", "b", "c"].map((key) => groupedTransaction(put(key))));
    expect(results).toEqual(["a", "b", "c"]);
    expect(stored()).toEqual(["a", "b", "c"]);
    expect(exec.mock.calls.filter(([sql]) => sql === "COMMIT")).toHaveLength(1);
  });

  it("rolls back only the failed work", async () => {
    const results = await Promise.allSettled([
      groupedTransaction(put("a")),
      groupedTransaction((tx) => {
        put("b")(tx);
        throw new Error("refused");
      }),
      groupedTransaction(put("c")),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(stored()).toEqual(["a", "c"]);
  });

  it("commits nothing for a single write that fails, and keeps its error", async () => {
    const onCommitted = vi.fn();
    const stop = onCommit("test", onCommitted);
    const exec = vi.spyOn(rawDatabase(), "exec");
    const refused = new Error("refused");
    const failing = groupedTransaction((tx) => {
      put("a")(tx);
      throw refused;
    });
    await expect(failing).rejects.toBe(refused);
    stop();
    expect(onCommitted).not.toHaveBeenCalled();
    expect(exec).not.toHaveBeenCalledWith("COMMIT");
    expect(exec).not.toHaveBeenCalledWith("SAVEPOINT one_of_many");
    expect(stored()).toEqual([]);
  });

  it("refuses all when the commit fails", async () => {
    const exec = rawDatabase().exec.bind(rawDatabase());
    vi.spyOn(rawDatabase(), "exec").mockImplementation((sql) => {
      if (sql === "COMMIT") throw new Error("disk full");
      return exec(sql);
    });
    const results = await Promise.allSettled([groupedTransaction(put("a")), groupedTransaction(put("b"))]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(stored()).toEqual([]);
  });

  it("commits later requests separately", async () => {
    await groupedTransaction(put("a"));
    await groupedTransaction(put("b"));
    expect(stored()).toEqual(["a", "b"]);
  });
});
