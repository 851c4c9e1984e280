import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { rawDatabase } from "~/core/db.server";
import { openTestDatabase } from "../../../../tests/support/database";
import { randomFrom } from "../../../../tests/support/rag-corpus";
import {
  makeCollection,
  type SampleCollection,
  searchTask,
} from "../../../../tests/support/search-collection";
import { search } from "./search";
import { closeReader, readerOf } from "./search-connection.thread";
import type { SearchTask } from "./search-task";

let test: ReturnType<typeof openTestDatabase>;
let collection: SampleCollection;

const find = (query: string, more: Partial<SearchTask> = {}) => {
  const task = searchTask(collection, query, more);
  return search(readerOf(task.database), task).passages;
};
const titles = (query: string, more: Partial<SearchTask> = {}) => find(query, more).map(({ title }) => title);

const VACATION = "Employees request vacation two weeks ahead; the manager approves it in the calendar.";
const PRINTER = "The printer on the second floor takes toner cartridge TN-2420 and A4 paper.";
const REFUND = "Customers who return goods within thirty days get a full refund to their card.";

const NOUNS =
  "table window river garden engine letter market winter doctor bridge camera island pocket silver ticket valley button candle forest hammer jacket kitten ladder mirror needle orange".split(
    " ",
  );

beforeEach(() => {
  test = openTestDatabase();
  collection = makeCollection();
});
afterEach(() => {
  closeReader();
  test.close();
});

function addThree(): void {
  collection.add({ name: "Handbook", chunks: [{ text: VACATION, headings: ["Leave", "Vacation"] }] });
  collection.add({ name: "Office", chunks: [PRINTER] });
  collection.add({
    name: "Terms",
    chunks: [REFUND],
    row: { type: "url", source: "https://example.org/terms" },
  });
}

describe("a search", () => {
  it("finds the passage with all its metadata", () => {
    addThree();
    const [best] = find("who approves my vacation?");
    expect(best).toMatchObject({
      title: "Handbook",
      category: "Uncategorized",
      type: "text",
      text: VACATION,
      headings: ["Leave", "Vacation"],
      page: null,
      start: 0,
      end: VACATION.length,
      score: 1,
      keyword: { rank: 1 },
      vector: { rank: 1, similarity: expect.any(Number) },
    });
    expect(best?.vector?.similarity).toBeGreaterThan(0.2);
  });

  it("reports each ranking's own results", () => {
    addThree();
    expect(find("refund", { mode: "keywords" })[0]).toMatchObject({ title: "Terms", vector: null });
    expect(find("refund for goods", { mode: "vectors" })[0]).toMatchObject({ title: "Terms", keyword: null });
  });

  it("finds misspelt words by keywords and by vectors", () => {
    addThree();
    expect(titles("refudn", { mode: "keywords" })).toEqual(["Terms"]);
    expect(titles("refundd goodss customrs", { mode: "vectors" })[0]).toBe("Terms");
  });

  it("takes a word that another language of the index has for no error", () => {
    collection.add({ name: "Formula", chunks: [{ text: "Die Formel steht im Anhang.", language: "de" }] });
    expect(titles("former", { mode: "keywords" })).toEqual(["Formula"]);
    collection.add({ name: "Owner", chunks: ["The former owner left a note."] });
    expect(titles("former", { mode: "keywords" })).toEqual(["Owner"]);
  });

  it("doesn't move texts of other languages by the built-in vectors", () => {
    const german = [
      "Die Firma Quellhorst liefert Pumpen nach Rotterdam.",
      "Die Pumpen von Quellhorst werden jedes Jahr gewartet.",
      "In Rotterdam werden die Pumpen aus dem Lager verladen.",
    ];
    collection.add({ name: "Names", chunks: ["Quellhorst Rotterdam"] });
    for (const [at, text] of german.entries())
      collection.add({ name: `German ${at}`, chunks: [{ text, language: "de" }] });
    const query = "Wer liefert die Pumpen von Quellhorst nach Rotterdam?";
    expect(find(query).find(({ title }) => title === "Names")?.vector).not.toBeNull();
    expect(titles(query)).toEqual(titles(query, { mode: "keywords" }));
  });

  it("finds the words of a title and of headings", () => {
    addThree();
    expect(titles("handbook", { mode: "keywords" })).toEqual(["Handbook"]);
    expect(titles("leave", { mode: "keywords" })).toEqual(["Handbook"]);
  });

  it("finds nothing in an empty index or for an empty query", () => {
    expect(find("anything")).toEqual([]);
    addThree();
    for (const mode of ["keywords", "vectors", "hybrid"] as const)
      for (const query of ["?!", "?!?", "\u0007", "🙂"]) expect(find(query, { mode })).toEqual([]);
  });

  it("finds nothing for unknown words, although some vectors are always nearest", () => {
    addThree();
    for (let number = 0; number < 150; number++) {
      const words = Array.from(
        { length: 12 },
        (_, word) => `${NOUNS[(number * 7 + word * 5) % NOUNS.length]}`,
      );
      collection.add({ name: `Note ${number}`, chunks: [`${words.join(" ")} ${number}`] });
    }
    const nonsense = ["qwertzuiop asdf", "blorf", "xkcdq hjkl", "schnurzelpurz"];
    expect(nonsense.flatMap((query) => titles(query, { mode: "vectors" }))).not.toEqual([]);
    for (const query of nonsense) expect(titles(query)).toEqual([]);
    expect(titles("refundd goodss customrs")).toEqual(["Terms"]);
  });

  it("scores by query coverage and rank", () => {
    addThree();
    collection.add({ name: "Stairs", chunks: ["The stairs to the second floor are closed for painting."] });
    const found = find("Which toner cartridge does the printer on the second floor take?");
    expect(found.map(({ title }) => title).slice(0, 2)).toEqual(["Office", "Stairs"]);
    expect(found[0]?.score).toBe(1);
    expect(found[1]?.score).toBeLessThan(0.5);
    expect(found.map(({ score }) => score)).toEqual(found.map(({ score }) => score).sort((a, b) => b - a));
    const misspelt = find("refundd goodss customrs")[0]?.score ?? 0;
    expect(misspelt).toBeGreaterThan(0.3);
    expect(misspelt).toBeLessThan(0.95);
  });

  it("scores hits of vectors alone by similarity", () => {
    const { chunkIds } = collection.add({ name: "Far", chunks: ["something quite different"] });
    const score = (similarity: number) => {
      const index = { ...collection.index, space: { id: collection.index.space.id, kind: "model" as const } };
      const hits = [{ chunkId: chunkIds[0] ?? 0, similarity }];
      return find("zebra", { index, vector: undefined, hits })[0]?.score;
    };
    expect(score(1)).toBe(1);
    // None is saturated before that.
    const spread = [0.8, 0.7, 0.6, 0.5].map((one) => score(one) ?? 0);
    for (const [at, one] of spread.slice(1).entries()) expect(one).toBeLessThan((spread[at] ?? 0) - 0.08);
    expect(score(0.14)).toBeCloseTo(0.1);
    expect(score(-0.2)).toBeCloseTo(0.1);
  });

  it("ranks passages with a quoted phrase first, and keeps others", () => {
    addThree();
    expect(titles('"thirty days" vacation printer')[0]).toBe("Terms");
    expect(titles('"thirty days" vacation printer').length).toBeGreaterThan(1);
    expect(titles('"days thirty"')).toContain("Terms");
  });

  it("finds passages with a frequent word beside a rare one", () => {
    for (let number = 0; number < 30; number++) {
      collection.add({
        name: `Note ${number}`,
        chunks: [`A note about paper and its uses, number ${number}.`],
      });
    }
    addThree();
    expect(titles("paper toner", { mode: "keywords", limit: 20 })[0]).toBe("Office");
    expect(titles("paper toner", { mode: "keywords", limit: 20 })).toHaveLength(20);
  });

  it("searches without vectors if the index has none", () => {
    addThree();
    const index = { ...collection.index, space: null };
    expect(find("refund goods", { index, vector: undefined })[0]).toMatchObject({
      title: "Terms",
      vector: null,
    });
  });

  it("uses a remote store's hits", () => {
    const { chunkIds } = collection.add({ name: "Far", chunks: ["something quite different"] });
    addThree();
    const hits = [{ chunkId: chunkIds[0] ?? 0, similarity: 0.9 }];
    const index = { ...collection.index, space: { id: collection.index.space.id, kind: "model" as const } };
    expect(find("zebra", { index, vector: undefined, hits })).toMatchObject([
      { title: "Far", keyword: null, vector: { rank: 1, similarity: 0.9 } },
    ]);
  });

  it.each(['" OR *', "a AND NEAR(", "\u0000", "(((((", "-- '", "🙂🙂", "\ud800"])("survives %j", (query) => {
    addThree();
    expect(Array.isArray(find(query))).toBe(true);
  });
});

describe("passages", () => {
  const LONG =
    "Every shipment leaves the warehouse with a delivery note, a customs form and a sealed packing list.";

  it("of the same content are returned once", () => {
    const again = `${LONG} It is signed by the driver and by the clerk who packed it on the day of the shipment itself.`;
    collection.add({ name: "A", chunks: [again] });
    collection.add({ name: "B", chunks: [again.replace("driver", "Driver!")] });
    collection.add({ name: "C", chunks: ["The customs form names the shipment's value."] });
    expect(find("shipment customs form").length).toBe(2);
  });

  it("that are adjacent are merged in document order", () => {
    collection.add({
      name: "Manual",
      chunks: [
        "Intro without meaning.",
        "Grease the turbine bearing weekly.",
        "The turbine bearing wears out.",
        "End.",
      ],
    });
    const [passage, ...others] = find("turbine bearing");
    expect(passage?.text).toBe("Grease the turbine bearing weekly.\n\nThe turbine bearing wears out.");
    expect([passage?.start, passage?.end]).toEqual([24, 90]);
    expect(others.every(({ text }) => !text.includes("turbine"))).toBe(true);
  });

  it("are limited to the requested number", () => {
    for (let number = 0; number < 30; number++) {
      collection.add({
        name: `N${number}`,
        chunks: [`Turbine number${number} has code${number} and part${number * 7}.`],
      });
    }
    expect(find("turbine")).toHaveLength(5);
    expect(find("turbine", { limit: 20 })).toHaveLength(20);
  });
});

describe("filters", () => {
  beforeEach(() => {
    const day = (date: string) => Date.parse(date);
    collection.add({
      name: "Old",
      chunks: ["alpha topic one"],
      row: { createdAt: day("2026-01-10"), category: "Finance" },
    });
    collection.add({
      name: "New",
      chunks: ["alpha topic two"],
      row: { createdAt: day("2026-03-10"), type: "file" },
    });
  });

  it.each([
    ["category", { category: "Finance" }, ["Old"]],
    ["an unknown category", { category: "Nowhere" }, []],
    ["type", { type: "file" as const }, ["New"]],
    ["the day from which", { from: Date.parse("2026-02-01") }, ["New"]],
    ["the day until which", { to: Date.parse("2026-02-01") }, ["Old"]],
    ["an unknown document", { documentId: "doc_none" }, []],
  ])("leave what fits: %s", (_, filters, expected) => {
    for (const mode of ["keywords", "vectors", "hybrid"] as const) {
      expect(titles("alpha topic", { filters, mode })).toEqual(expected);
    }
  });
});

it("finds the nearest that a filter leaves of many, also where all that is nearest is left out", () => {
  const dimensions = 64;
  const random = randomFrom(11);
  const own = makeCollection({ dimensions, kind: "model" });
  const near = (axis: number) => {
    const vector = Float32Array.from({ length: dimensions }, () => random() - 0.5);
    vector[axis] = 3;
    const length = Math.hypot(...vector);
    return vector.map((value) => value / length);
  };
  const vectors = new Map<number, Float32Array>();
  const many = (category: string, axes: number[]) => {
    const chunks = Array.from({ length: 2200 }, (_, n) => ({
      text: `${category} ${n} ${axes}`,
      vector: near(axes[n % axes.length] ?? 0),
    }));
    const { chunkIds } = own.add({ name: category, chunks, row: { category } });
    for (const [n, id] of chunkIds.entries()) vectors.set(id, chunks[n]?.vector ?? new Float32Array());
    return chunkIds;
  };
  const wanted = many("Finance", [0, 1]);
  many("Service", [0, 2]);
  for (const axis of [0, 1, 2]) {
    const query = near(axis);
    const likeness = (id: number) =>
      (vectors.get(id) ?? new Float32Array()).reduce((sum, value, n) => sum + value * (query[n] ?? 0), 0);
    const exact = [...wanted].sort((a, b) => likeness(b) - likeness(a)).slice(0, 5);
    const filters = { category: "Finance" };
    const task = searchTask(own, "any", { mode: "vectors", vector: query, filters, limit: 5 });
    const { passages } = search(readerOf(task.database), task);
    expect(passages.map(({ chunkId }) => chunkId).filter((id) => exact.includes(id)).length).toBeGreaterThan(
      3,
    );
    expect(passages.every(({ chunkId }) => wanted.includes(chunkId))).toBe(true);
  }
}, 60_000);

describe("who sees what", () => {
  const named = { visibility: "named" as const, createdBy: "usr_admin" };

  it("filters before ranking, so that hidden passages displace nothing", () => {
    for (let number = 0; number < 10; number++) {
      collection.add({
        name: `Secret ${number}`,
        chunks: Array.from(
          { length: 100 },
          (_, word) => `merger merger merger price talks ${number} ${word}`,
        ),
        row: named,
      });
    }
    collection.add({ name: "Open", chunks: ["A merger was announced in the newspaper some years ago."] });
    for (const mode of ["keywords", "vectors", "hybrid"] as const) {
      expect(titles("merger price talks", { mode })).toEqual(["Open"]);
    }
    expect(titles("merger price talks", { userId: "usr_admin" })).not.toContain("Open");
    expect(titles("merger price talks", { userId: "usr_owner" })).toEqual(["Open"]);
  });

  it("decides before the ranking in a large index, too, for named members, filters and deleted documents", () => {
    const words = (number: number) => `alpha${number % 50} beta${number % 7} gamma${number}`;
    const many = (name: string, count: number, from: number, row: object = {}) =>
      collection.add({
        name,
        chunks: Array.from({ length: count }, (_, word) => `merger price talks ${words(from + word)}`),
        row,
      });
    many("Secret", 1100, 0, named);
    const { documentId: gone } = many("Gone", 1100, 2000);
    rawDatabase().prepare("UPDATE documents SET deleted_at = 1 WHERE id = ?").run(gone);
    collection.add({ name: "Open", chunks: ["A merger was announced."], row: { category: "Finance" } });
    collection.add({
      name: "Own",
      chunks: ["A merger was cancelled."],
      row: { ...named, createdBy: "usr_member" },
    });
    const found = (more: object) => titles("merger price talks", { limit: 10, ...more }).sort();
    for (const mode of ["vectors", "hybrid"] as const) {
      expect(found({ mode })).toEqual(["Open", "Own"]);
      expect(found({ mode, filters: { category: "Finance" } })).toEqual(["Open"]);
    }
  }, 60_000);

  it("counts readers, from one search to the next", () => {
    const { documentId } = collection.add({ name: "Secret", chunks: ["merger price talks"], row: named });
    expect(titles("merger")).toEqual([]);
    rawDatabase()
      .prepare("INSERT INTO document_readers (document_id, user_id) VALUES (?, 'usr_member')")
      .run(documentId);
    expect(titles("merger")).toEqual(["Secret"]);
    rawDatabase().prepare("UPDATE documents SET deleted_at = 1 WHERE id = ?").run(documentId);
    expect(titles("merger")).toEqual([]);
  });

  it("keeps organisations apart", () => {
    addThree();
    expect(find("refund", { orgId: "org_other" })).toEqual([]);
  });

  it("leaves out versions that are no longer searched", () => {
    const { documentId } = collection.add({ name: "Doc", chunks: ["merger price talks"] });
    rawDatabase().prepare("UPDATE documents SET version_id = NULL WHERE id = ?").run(documentId);
    expect(titles("merger price talks")).toEqual([]);
  });

  it("holds for another store's hits, too", () => {
    const { chunkIds } = collection.add({ name: "Secret", chunks: ["merger"], row: named });
    const hits = [{ chunkId: chunkIds[0] ?? 0, similarity: 0.9 }];
    expect(find("zebra", { vector: undefined, hits })).toEqual([]);
  });
});

it("reads on while a write is under way, and sees it when it is done", () => {
  addThree();
  const raw = rawDatabase();
  raw.exec("BEGIN IMMEDIATE");
  raw.exec("UPDATE documents SET name = 'Renamed' WHERE name = 'Terms'");
  expect(titles("refund")[0]).toBe("Terms");
  raw.exec("COMMIT");
  expect(titles("refund")[0]).toBe("Renamed");
});
