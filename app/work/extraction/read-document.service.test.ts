import { createHash } from "node:crypto";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { transaction } from "~/core/db.server";
import { closeWorkerPools } from "~/core/worker-pool.server";
import { chunkVersion } from "~/work/index/generations/index-version.server";
import { documentCategories, documentParts, documents, documentTexts, documentVersions } from "~db/schema";
import { ORG_ID, openTestDatabase } from "../../../tests/support/database";
import { readVersion } from "./read-document.service.server";

let test: ReturnType<typeof openTestDatabase>;

beforeEach(() => {
  test = openTestDatabase();
});
afterEach(() => test.close());
afterAll(closeWorkerPools);

const at = 1;

/** Stores a version's bytes in pieces of three. */
function storeVersion(bytes: Uint8Array, versionId = "ver_1"): string {
  transaction((tx) => {
    tx.insert(documentCategories)
      .values({ id: "cat_1", orgId: ORG_ID, name: "Test", position: 0, createdAt: at })
      .onConflictDoNothing()
      .run();
    tx.insert(documents)
      .values({
        id: "doc_1",
        orgId: ORG_ID,
        name: "Test",
        type: "file",
        source: "",
        categoryId: "cat_1",
        status: "processing",
        createdBy: "usr_member",
        createdAt: at,
        updatedAt: at,
      })
      .run();
    tx.insert(documentVersions)
      .values({
        id: versionId,
        documentId: "doc_1",
        number: 1,
        state: "received",
        createdBy: "usr_member",
        createdAt: at,
      })
      .run();
    for (let position = 0; position * 3 < bytes.length; position++) {
      const part = Buffer.from(bytes.slice(position * 3, position * 3 + 3));
      tx.insert(documentParts).values({ versionId, position, bytes: part }).run();
    }
  });
  return versionId;
}

describe("a stored version", () => {
  it("is read in a child process, and chunked from its stored text", async () => {
    const versionId = storeVersion(Buffer.from("# Harbour\n\nThe lamp is lit at dusk.\n"));
    const read = await readVersion({ versionId, name: "harbour.md", contentType: "" });
    expect(read).toMatchObject({ title: "Harbour", facts: { format: "Markdown" }, textLength: 33 });
    const pieces = [...read.pieces];
    const text = pieces.map((piece) => piece.text).join("");
    expect(text).toBe("Harbour\n\nThe lamp is lit at dusk.");
    expect(read.textHash).toBe(createHash("sha256").update(text).digest("hex"));

    transaction((tx) => {
      for (const [position, piece] of pieces.entries())
        tx.insert(documentTexts)
          .values({ versionId, position, ...piece })
          .run();
    });
    const chunks = await chunkVersion({
      versionId,
      title: read.title,
      chunking: { target: 400, overlap: 60 },
    });
    expect([...chunks]).toMatchObject([
      { position: 0, text, headings: ["Harbour"], start: 0, end: 33, page: null },
    ]);
  });

  it("uses the URL as its name if it has none", async () => {
    const versionId = storeVersion(Buffer.from("# Not a heading in a text\n\nbut in Markdown"));
    const url = "https://example.org/notes/a.md?raw=1";
    expect(await readVersion({ versionId, name: "", contentType: "text/plain", url })).toMatchObject({
      facts: { format: "Markdown" },
    });
  });

  it("reports why it can't be read", async () => {
    const versionId = storeVersion(Uint8Array.from({ length: 300 }, (_, at) => at % 7));
    await expect(readVersion({ versionId, name: "notes.txt", contentType: "" })).rejects.toMatchObject({
      code: "invalid",
      message: "This file contains binary data, not text.",
    });
  });

  it("is no longer read once aborted", async () => {
    const versionId = storeVersion(Buffer.from("text"));
    const stop = new AbortController();
    const reading = readVersion({ versionId, name: "", contentType: "" }, stop.signal);
    stop.abort(new Error("stopped"));
    await expect(reading).rejects.toThrow("stopped");
  });
});
