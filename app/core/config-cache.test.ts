import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { keyReferences, modelSettings, orgSettings, providers } from "~db/schema";
import { ORG_ID, openTestDatabase } from "../../tests/support/database";
import { cachedByConfig } from "./config-cache.server";
import { type Db, transaction } from "./db.server";

const at = { createdAt: 1, updatedAt: 1 };
const provider = {
  id: "p",
  orgId: ORG_ID,
  type: "custom",
  displayName: "P",
  enabled: true,
  config: {},
  models: [],
};

/** Everything that calls are made by, each written in each way. */
const WRITES: Record<string, ((tx: Db) => void)[]> = {
  providers: [
    (tx) =>
      tx
        .insert(providers)
        .values({ ...provider, ...at })
        .run(),
    (tx) => tx.update(providers).set({ enabled: false }).where(eq(providers.id, "p")).run(),
    (tx) => tx.delete(providers).where(eq(providers.id, "p")).run(),
  ],
  "models' settings": [
    (tx) =>
      tx
        .insert(modelSettings)
        .values({ orgId: ORG_ID, modelId: "m", ...at })
        .run(),
    (tx) => tx.update(modelSettings).set({ hidden: true }).run(),
    (tx) => tx.delete(modelSettings).run(),
  ],
  keys: [
    (tx) =>
      tx
        .insert(keyReferences)
        .values({ id: "k", orgId: ORG_ID, provider: "custom", alias: "A", createdAt: 1 })
        .run(),
    (tx) => tx.update(keyReferences).set({ origin: "https://a.example" }).run(),
    (tx) => tx.delete(keyReferences).run(),
  ],
  "the organisation's settings": [
    (tx) => tx.insert(orgSettings).values({ orgId: ORG_ID, key: "advanced", value: {}, updatedAt: 1 }).run(),
    (tx) =>
      tx
        .update(orgSettings)
        .set({ value: { ai: {} } })
        .run(),
    (tx) => tx.delete(orgSettings).run(),
  ],
};

describe("what is kept until the configuration changes", () => {
  let test: ReturnType<typeof openTestDatabase>;
  let computed = 0;
  const read = cachedByConfig((orgId) => `${orgId} ${++computed}`);
  beforeEach(() => {
    test = openTestDatabase();
    computed = 0;
  });
  afterEach(() => test.close());

  it("is worked out once, by organisation", () => {
    expect(read("a")).toBe("a 1");
    expect(read("a")).toBe("a 1");
    expect(read("b")).toBe("b 2");
  });

  for (const [what, writes] of Object.entries(WRITES)) {
    it(`is worked out anew after each change of ${what}`, () => {
      read("a");
      for (const write of writes) {
        transaction(write);
        const after = read("a");
        expect(after).toBe(`a ${computed}`);
        expect(read("a")).toBe(after);
      }
      expect(computed).toBe(4);
    });
  }

  it("is seen by a transaction until that changes something itself", () => {
    read("a");
    transaction((tx) => {
      expect(read("a")).toBe("a 1");
      WRITES.providers?.[0]?.(tx);
      expect(read("a")).toBe("a 2");
      expect(read("a")).toBe("a 3");
    });
    expect(read("a")).toBe("a 4");
  });

  it("is kept by a transaction that changed nothing of it, also the first time", () => {
    read("a");
    transaction(() => {
      expect(read("b")).toBe("b 2");
      expect(read("b")).toBe("b 2");
    });
    expect(read("b")).toBe("b 2");
  });

  it("isn't kept from inside a transaction that is taken back", () => {
    read("a");
    expect(() =>
      transaction((tx) => {
        WRITES.providers?.[0]?.(tx);
        read("a");
        throw new Error("taken back");
      }),
    ).toThrow("taken back");
    transaction((tx) => WRITES.keys?.[0]?.(tx));
    expect(read("a")).toBe("a 3");
  });
});
