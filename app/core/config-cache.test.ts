import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { keyReferences, modelSettings, orgSettings, providers } from "~db/schema";
import { ORG_ID, openTestDatabase } from "../../tests/support/database";
import { cachedByConfig, onConfigChanged } from "./config-cache.server";
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

interface Writes {
  topic: "models" | "settings:ai";
  writes: ((tx: Db) => void)[];
}

const WRITES: Record<string, Writes> = {
  providers: {
    topic: "models",
    writes: [
      (tx) =>
        tx
          .insert(providers)
          .values({ ...provider, ...at })
          .run(),
      (tx) => tx.update(providers).set({ enabled: false }).where(eq(providers.id, "p")).run(),
      (tx) => tx.delete(providers).where(eq(providers.id, "p")).run(),
    ],
  },
  "models' settings": {
    topic: "models",
    writes: [
      (tx) =>
        tx
          .insert(modelSettings)
          .values({ orgId: ORG_ID, modelId: "m", ...at })
          .run(),
      (tx) => tx.update(modelSettings).set({ hidden: true }).run(),
      (tx) => tx.delete(modelSettings).run(),
    ],
  },
  keys: {
    topic: "models",
    writes: [
      (tx) =>
        tx
          .insert(keyReferences)
          .values({ id: "k", orgId: ORG_ID, provider: "custom", alias: "A", createdAt: 1 })
          .run(),
      (tx) => tx.update(keyReferences).set({ origin: "https://a.example" }).run(),
      (tx) => tx.delete(keyReferences).run(),
    ],
  },
  "the organization's settings": {
    topic: "settings:ai",
    writes: [
      (tx) => save(tx, "ai", {}),
      (tx) => save(tx, "ai", { timeout: 300 }),
      (tx) => tx.delete(orgSettings).run(),
    ],
  },
};

function save(tx: Db, key: string, value: Record<string, unknown>): void {
  tx.insert(orgSettings)
    .values({ orgId: ORG_ID, key, value, updatedAt: 1 })
    .onConflictDoUpdate({ target: [orgSettings.orgId, orgSettings.key], set: { value } })
    .run();
}

const addProvider = (tx: Db) => WRITES.providers?.writes[0]?.(tx);

describe("config cache", () => {
  let test: ReturnType<typeof openTestDatabase>;
  let computed = 0;
  let others = 0;
  const read = cachedByConfig(["models", "settings:ai"], (orgId) => `${orgId} ${++computed}`);
  const readers = {
    models: cachedByConfig(["models"], () => ++others),
    "settings:ai": cachedByConfig(["settings:ai"], () => ++others),
    "settings:rag": cachedByConfig(["settings:rag"], () => ++others),
  };
  beforeEach(() => {
    test = openTestDatabase();
    computed = 0;
    others = 0;
  });
  afterEach(() => test.close());

  it("computes a value once per organization", () => {
    expect(read("a")).toBe("a 1");
    expect(read("a")).toBe("a 1");
    expect(read("b")).toBe("b 2");
  });

  for (const [subject, { topic, writes }] of Object.entries(WRITES)) {
    it(`recomputes a value after each change of ${subject}`, () => {
      read("a");
      for (const write of writes) {
        transaction(write);
        const after = read("a");
        expect(after).toBe(`a ${computed}`);
        expect(read("a")).toBe(after);
      }
      expect(computed).toBe(4);
    });

    it(`keeps a value after a change of ${subject} if it doesn't depend on it`, () => {
      for (const reader of Object.values(readers)) reader("a");
      for (const write of writes) {
        const before = others;
        transaction(write);
        for (const [name, reader] of Object.entries(readers)) if (name !== topic) reader("a");
        expect(others).toBe(before);
        readers[topic]("a");
        expect(others).toBe(before + 1);
      }
    });
  }

  it("reports committed changes of the topics, but no rolled-back ones", () => {
    let heard = 0;
    const leave = onConfigChanged(["models"], () => {
      heard += 1;
    });
    transaction((tx) => {
      addProvider(tx);
      expect(heard).toBe(0);
    });
    expect(heard).toBe(1);
    transaction((tx) => save(tx, "rag", {}));
    expect(() =>
      transaction((tx) => {
        WRITES.providers?.writes[1]?.(tx);
        throw new Error("no");
      }),
    ).toThrow("no");
    expect(heard).toBe(1);
    leave();
    transaction((tx) => void WRITES.providers?.writes[1]?.(tx));
    expect(heard).toBe(1);
  });

  it("uses the cached value within a transaction that changes another topic", () => {
    const kept = readers["settings:rag"]("a");
    transaction((tx) => {
      save(tx, "ai", { timeout: 300 });
      expect(readers["settings:rag"]("a")).toBe(kept);
    });
    expect(readers["settings:rag"]("a")).toBe(kept);
  });

  it("computes a value again within a transaction that changed its topic", () => {
    read("a");
    transaction((tx) => {
      expect(read("a")).toBe("a 1");
      addProvider(tx);
      expect(read("a")).toBe("a 2");
      expect(read("a")).toBe("a 3");
    });
    expect(read("a")).toBe("a 4");
  });

  it("caches a value computed within a transaction without changes", () => {
    read("a");
    transaction(() => {
      expect(read("b")).toBe("b 2");
      expect(read("b")).toBe("b 2");
    });
    expect(read("b")).toBe("b 2");
  });

  it("caches nothing from a transaction that is rolled back", () => {
    read("a");
    expect(() =>
      transaction((tx) => {
        addProvider(tx);
        read("a");
        throw new Error("rolled back");
      }),
    ).toThrow("rolled back");
    transaction((tx) => WRITES.keys?.writes[0]?.(tx));
    expect(read("a")).toBe("a 3");
  });
});
