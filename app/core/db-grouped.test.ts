import { count } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { kvEntries } from "~db/schema";
import { ORG_ID, openTestDatabase } from "../../tests/support/database";
import { type Db, db, groupedTransaction, rawDatabase } from "./db.server";

describe("transactions that share a commit", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(() => {
    test = openTestDatabase();
  });
  afterEach(() => test.close());

  const put = (key: string) => (tx: Db) => {
    tx.insert(kvEntries)
      .values({ orgId: ORG_ID, key, value: "", updatedBy: "usr_member", updatedAt: 0 })
      .run();
    return key;
  };
  const stored = () => db().select({ n: count() }).from(kvEntries).get()?.n;

  it("commits once for all of one turn, and answers each", async () => {
    const exec = vi.spyOn(rawDatabase(), "exec");
    const results = await Promise.all(["a", "b", "c"].map((key) => groupedTransaction(put(key))));
    expect(results).toEqual(["a", "b", "c"]);
    expect(stored()).toBe(3);
    expect(exec.mock.calls.filter(([sql]) => sql === "COMMIT")).toHaveLength(1);
  });

  it("takes back only what threw", async () => {
    const results = await Promise.allSettled([
      groupedTransaction(put("a")),
      groupedTransaction((tx) => {
        put("b")(tx);
        throw new Error("refused");
      }),
      groupedTransaction(put("c")),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(stored()).toBe(2);
  });

  it("refuses all when the commit fails", async () => {
    const exec = rawDatabase().exec.bind(rawDatabase());
    vi.spyOn(rawDatabase(), "exec").mockImplementation((sql) => {
      if (sql === "COMMIT") throw new Error("disk full");
      return exec(sql);
    });
    const results = await Promise.allSettled([groupedTransaction(put("a")), groupedTransaction(put("b"))]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(stored()).toBe(0);
  });

  it("has what was asked for later in a commit of its own", async () => {
    await groupedTransaction(put("a"));
    await groupedTransaction(put("b"));
    expect(stored()).toBe(2);
  });
});
