import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { transaction } from "~/core/db.server";
import { chunkSets, chunks, searchIndexes } from "~db/schema";
import { ORG_ID, openTestDatabase } from "../../../../tests/support/database";
import { addDocument, addVersion } from "../../../../tests/support/documents";
import {
  listDocumentChunks,
  listVersions,
  originalName,
  readOriginal,
  readText,
} from "./document-parts.service.server";

describe("the parts of a document", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(() => {
    test = openTestDatabase();
  });
  afterEach(() => test.close());

  it("are text pages, found by any position in them", () => {
    const id = addDocument("Long");
    addVersion(id, { texts: ["a", "b", "c"].map((letter) => ({ text: letter.repeat(1000) })) });
    const page = (from: number) => readText(test.actors.viewer, id, { from });
    expect(page(0)).toMatchObject({ start: 0, end: 1000, length: 3000, previous: null, next: 1000 });
    expect(page(1500)).toMatchObject({ start: 1000, end: 2000, previous: 0, next: 2000 });
    expect(page(1500).blocks).toEqual([{ kind: "paragraph", start: 1000, end: 2000 }]);
    expect(page(99_999)).toMatchObject({ start: 2000, end: 3000, next: null });
  });

  it("are empty before the text is extracted", () => {
    const id = addDocument("New", { status: "processing" });
    const nothing = { length: 0, text: "", blocks: [], previous: null, next: null };
    expect(readText(test.actors.viewer, id, { from: 0 })).toMatchObject(nothing);
    addVersion(id, { state: "received" });
    expect(readText(test.actors.viewer, id, { from: 0 })).toMatchObject(nothing);
  });

  it("are its versions, of which older ones can be read", () => {
    const id = addDocument("Report");
    addVersion(id, { number: 1, state: "replaced", texts: [{ text: "Old" }] });
    addVersion(id, { number: 2, texts: [{ text: "New" }] });
    expect(readText(test.actors.viewer, id, { from: 0 }).text).toBe("New");
    expect(readText(test.actors.viewer, id, { from: 0, version: 1 }).text).toBe("Old");
    expect(() => readText(test.actors.viewer, id, { from: 0, version: 3 })).toThrow(/Version not found/);
    const first = listVersions(test.actors.viewer, id, { limit: 1 });
    expect(first.versions.map(({ number, state }) => [number, state])).toEqual([[2, "served"]]);
    const rest = listVersions(test.actors.viewer, id, { limit: 1, cursor: first.next });
    expect(rest).toMatchObject({ versions: [{ number: 1 }] });
    expect(rest.next).toBeUndefined();
    expect(() => listVersions(test.actors.viewer, id, { limit: 1, cursor: "?" })).toThrow(/cursor/);
  });

  it("are its chunks in the active index only", () => {
    const id = addDocument("Report");
    const versionId = addVersion(id, { texts: [{ text: "one two three" }] });
    expect(listDocumentChunks(test.actors.viewer, id, { limit: 5 }).chunks).toEqual([]);
    transaction((tx) => {
      for (const setId of [1, 2]) {
        tx.insert(chunkSets)
          .values({ id: setId, orgId: ORG_ID, key: `k${setId}`, createdAt: 1 })
          .run();
        const index = {
          orgId: ORG_ID,
          chunkSetId: setId,
          store: "sqlite",
          createdBy: "system",
          createdAt: 1,
        };
        tx.insert(searchIndexes)
          .values({ ...index, state: setId === 1 ? "building" : "serving" })
          .run();
        for (const position of [0, 1, 2]) {
          const location = { start: position * 4, end: position * 4 + 3, page: null, tokens: setId };
          tx.insert(chunks)
            .values({
              ...location,
              chunkSetId: setId,
              documentId: id,
              versionId,
              position,
              text: "one",
              headings: ["Top"],
              hash: "h",
            })
            .run();
        }
      }
    });
    const first = listDocumentChunks(test.actors.viewer, id, { limit: 2 });
    expect(first.chunks.map(({ position, tokens }) => [position, tokens])).toEqual([
      [0, 2],
      [1, 2],
    ]);
    const rest = listDocumentChunks(test.actors.viewer, id, { limit: 2, cursor: first.next });
    expect(rest.chunks).toMatchObject([{ position: 2, headings: ["Top"], start: 8, end: 11 }]);
    expect(rest.next).toBeUndefined();
  });

  it("are downloaded unchanged, in pieces", () => {
    const id = addDocument("Report", { type: "file", source: "report.pdf" });
    const parts = [Buffer.from("%PDF"), Buffer.from("-1.7")];
    addVersion(id, { parts, sha256: "aa", fileName: "report.pdf" });
    const { name, size, pieces } = readOriginal(test.actors.viewer, id);
    expect({ name, size, text: Buffer.concat([...pieces]).toString() }).toEqual({
      name: "report.pdf",
      size: 8,
      text: "%PDF-1.7",
    });
    const coming = addDocument("Coming", { type: "file" });
    addVersion(coming, { state: "receiving", parts });
    expect(() => readOriginal(test.actors.viewer, coming)).toThrow(/upload isn't complete/);
  });

  it("requires access to the document", () => {
    const id = addDocument("Secret", { visibility: "named" });
    addVersion(id, { texts: [{ text: "Secret" }], sha256: "aa" });
    const { owner } = test.actors;
    expect(() => readText(owner, id, { from: 0 })).toThrow(/not found/);
    expect(() => listDocumentChunks(owner, id, { limit: 1 })).toThrow(/not found/);
    expect(() => listVersions(owner, id, { limit: 1 })).toThrow(/not found/);
    expect(() => readOriginal(owner, id)).toThrow(/not found/);
  });
});

const version = (fileName: string | null, contentType = "") => ({ fileName, contentType });

it.each([
  ["text", "Minutes", null, "", "Minutes.txt"],
  ["text", "notes.TXT", null, "", "notes.TXT"],
  ["file", "Report", "report.pdf", "application/pdf", "report.pdf"],
  ["url", "example.org/a/b", null, "text/html; charset=utf-8", "example.org-a-b.html"],
  ["url", "example.org/data.json", null, "application/json", "example.org-data.json"],
  ["url", "example.org", null, "application/x-unknown", "example.org"],
  ["file", "x", "../../etc/passwd", "", "passwd"],
  ["file", "x", "offer.eml/prices.csv", "text/csv", "prices.csv"],
  ["file", "x", 'a"b\r\nc<d>.docx', "", "a-b-c-d-.docx"],
  ["file", "x", "..", "", "document"],
] as const)(
  "names the download of a %s named %s (%s, %s) %s",
  (type, name, fileName, contentType, expected) => {
    expect(originalName({ type, name }, version(fileName, contentType))).toBe(expected);
  },
);

it("keeps the extension of a name that is too long", () => {
  const name = originalName({ type: "file", name: "x" }, version(`${"ü".repeat(300)}.xlsx`));
  expect(name).toBe(`${"ü".repeat(120)}.xlsx`);
});
