import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { accessChanged } from "~/core/access-events.server";
import { rawDatabase } from "~/core/db.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { openTestDatabase } from "../../../../tests/support/database";
import { readBatch } from "./batches.service.server";
import type { UploadPart } from "./ingest.schema";
import { receiveUpload, submitUpload } from "./upload.service.server";

async function* bytesOf(...chunks: (string | Error)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) {
    if (chunk instanceof Error) throw chunk;
    yield Buffer.from(chunk);
  }
}

const file = (fileName: string, ...chunks: (string | Error)[]): UploadPart => ({
  kind: "file",
  fileName,
  contentType: "text/plain",
  bytes: bytesOf(...chunks),
});
const field = (name: string, value: string): UploadPart => ({ kind: "field", name, value });
async function* partsOf(...parts: UploadPart[]): AsyncGenerator<UploadPart> {
  yield* parts;
}
const rows = (sql: string) => rawDatabase().prepare(sql).all();

describe("an upload", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(() => {
    test = openTestDatabase();
  });
  afterEach(() => test.close());

  it("stores a file in pieces of at most 256 KB, with its hash", async () => {
    const chunk = "x".repeat(100_000);
    await receiveUpload(
      test.actors.member,
      partsOf(file("big.txt", ...Array.from({ length: 7 }, () => chunk))),
    );
    expect(rows("SELECT position, length(bytes) AS size FROM document_parts ORDER BY position")).toEqual([
      { position: 0, size: 262_144 },
      { position: 1, size: 262_144 },
      { position: 2, size: 175_712 },
    ]);
    expect(rows("SELECT state, size, sha256 FROM document_versions")).toEqual([
      { state: "received", size: 700_000, sha256: expect.stringMatching(/^[\da-f]{64}$/) },
    ]);
  });

  it("applies the fields' category and readers", async () => {
    const { files } = await receiveUpload(
      test.actors.member,
      partsOf(
        field("category", "finance"),
        field("visibility", "named"),
        field("readers", "usr_viewer"),
        field("readers", "usr_admin"),
        field("else", "ignored"),
        file("a.txt", "a"),
      ),
    );
    expect(files).toMatchObject([{ name: "a.txt", status: "processing", error: null, duplicateOf: null }]);
    expect(rows("SELECT visibility FROM documents")).toEqual([{ visibility: "named" }]);
    expect(rows("SELECT user_id FROM document_readers ORDER BY user_id")).toEqual([
      { user_id: "usr_admin" },
      { user_id: "usr_viewer" },
    ]);
  });

  it("refuses unsupported files without storing them, and accepts the others", async () => {
    const { member } = test.actors;
    const { files } = await receiveUpload(member, partsOf(file("old.pages", "PK"), file("a.txt", "a")));
    expect(files).toMatchObject([
      { id: null, name: "old.pages", error: "File type not supported: save it as .docx or PDF." },
      { id: expect.any(String), name: "a.txt", error: null },
    ]);
    expect(rows("SELECT name FROM documents")).toEqual([{ name: "a.txt" }]);
    await expect(receiveUpload(member, partsOf(file("tool.bin", "x")))).rejects.toMatchObject({
      code: "unprocessable",
      message: "tool.bin: File type not supported.",
    });
    expect(rows("SELECT action FROM audit_entries")).toContainEqual({ action: "batch.created" });
    const refused = await submitUpload(member, partsOf(field("category", "Finance"), file("b.pages", "x")));
    expect(refused).toMatchObject({ problem: expect.any(String), fields: [["category", "Finance"]] });
  });

  it("adds files to an earlier upload", async () => {
    const { member } = test.actors;
    const { batchId } = await receiveUpload(member, partsOf(file("a.txt", "a")));
    await receiveUpload(member, partsOf(field("batch", batchId), file("b.txt", "b")));
    expect((await readBatch(member, batchId)).counts.total).toBe(2);
    const unknown = partsOf(field("batch", "mine"), file("c.txt", "c"));
    await expect(receiveUpload(member, unknown)).rejects.toMatchObject({
      code: "invalid",
      fields: { batch: [expect.any(String)] },
    });
    expect(rows("SELECT name FROM documents")).toEqual([{ name: "a.txt" }, { name: "b.txt" }]);
  });

  it("keeps complete files when the upload is interrupted", async () => {
    const broken = partsOf(file("whole.txt", "all of it"), file("half.txt", "half", new Error("gone")));
    await expect(receiveUpload(test.actors.member, broken)).rejects.toThrow("gone");
    expect(rows("SELECT name, status FROM documents ORDER BY id")).toEqual([
      { name: "whole.txt", status: "processing" },
      { name: "half.txt", status: "failed" },
    ]);
    expect(rows("SELECT state FROM jobs")).toEqual([{ state: "queued" }]);
  });

  it("recognises duplicates within an upload", async () => {
    const { files } = await receiveUpload(
      test.actors.member,
      partsOf(file("a.txt", "same"), file("b.txt", "same")),
    );
    expect(files[1]).toMatchObject({ id: files[0]?.id, duplicateOf: "a.txt" });
    expect(rows("SELECT name FROM documents WHERE deleted_at IS NULL")).toEqual([{ name: "a.txt" }]);
    const { entries } = listAudit(test.actors.member, { limit: 9 });
    const discarded = rawDatabase().prepare("SELECT id FROM documents WHERE name = 'b.txt'").pluck().get();
    expect(entries.filter(({ action }) => action === "document.discarded")).toMatchObject([
      { resource: `document:${discarded}`, details: {} },
    ]);
  });

  it("writes nothing of a small duplicate, and accepts a file in the commit of its last bytes", async () => {
    const { member } = test.actors;
    await receiveUpload(member, partsOf(file("a.txt", "same"), file("b.txt", "same")));
    expect(rows("SELECT count(*) AS parts FROM document_parts")).toEqual([{ parts: 1 }]);
    rawDatabase().exec(`CREATE TEMP TRIGGER refused BEFORE UPDATE OF state ON document_versions
      WHEN NEW.state = 'received' BEGIN SELECT RAISE(ABORT, 'not now'); END`);
    await expect(receiveUpload(member, partsOf(file("c.txt", "other")))).rejects.toThrow("not now");
    expect(rows("SELECT count(*) AS parts FROM document_parts")).toEqual([{ parts: 1 }]);
  });

  it("has a document that existed before, and processes it again if it had failed", async () => {
    const { member } = test.actors;
    const first = await receiveUpload(member, partsOf(file("a.txt", "same")));
    rawDatabase().exec(
      `DELETE FROM jobs; UPDATE document_versions SET state = 'failed';
       UPDATE documents SET status = 'failed'`,
    );
    const parts = partsOf(file("a.txt", "same"), file("b.txt", "same"));
    const { batchId, files } = await receiveUpload(member, parts);
    expect(files[0]).toMatchObject({ id: first.files[0]?.id, status: "processing" });
    expect((await readBatch(member, batchId)).counts).toMatchObject({ total: 1, processing: 1 });
    const retries = "SELECT count(*) FROM audit_entries WHERE action = 'document.retried'";
    expect(rawDatabase().prepare(retries).pluck().get()).toBe(1);
  });

  it("stops when its sender's permissions change", async () => {
    async function* slow(): AsyncGenerator<Uint8Array> {
      yield Buffer.from("some");
      accessChanged("usr_member");
      yield Buffer.from("more");
    }
    const parts = partsOf({ kind: "file", fileName: "a.txt", contentType: "", bytes: slow() });
    await expect(receiveUpload(test.actors.member, parts)).rejects.toMatchObject({ code: "forbidden" });
  });

  it("stops when its sender's permissions change, even when stalled or fully received", async () => {
    async function* silent(): AsyncGenerator<Uint8Array> {
      yield Buffer.from("some");
      setImmediate(() => accessChanged("usr_member"));
      await new Promise(() => undefined);
    }
    async function* last(): AsyncGenerator<Uint8Array> {
      yield Buffer.from("all");
      accessChanged("usr_member");
    }
    const { member } = test.actors;
    for (const bytes of [silent(), last()]) {
      const parts = partsOf({ kind: "file", fileName: "a.txt", contentType: "", bytes });
      await expect(receiveUpload(member, parts)).rejects.toMatchObject({ code: "forbidden" });
    }
    expect(rows("SELECT DISTINCT status FROM documents")).toEqual([{ status: "failed" }]);
  });

  it.each([
    ["a viewer", "viewer", [file("a.txt", "a")], "forbidden"],
    ["no file", "member", [field("category", "")], "invalid"],
    ["an unknown visibility", "member", [field("visibility", "secret"), file("a.txt", "a")], "invalid"],
    [
      "an unknown reader",
      "member",
      [field("visibility", "named"), field("readers", "x"), file("a.txt", "a")],
      "invalid",
    ],
  ] as const)("refuses %s", async (_, role, parts, code) => {
    await expect(receiveUpload(test.actors[role], partsOf(...parts))).rejects.toMatchObject({ code });
    expect(rows("SELECT id FROM documents")).toEqual([]);
  });

  it("accepts at most a hundred files", async () => {
    const many = Array.from({ length: 101 }, (_, index) => file(`${index}.txt`, `number ${index}`));
    await expect(receiveUpload(test.actors.member, partsOf(...many))).rejects.toMatchObject({
      code: "too_large",
    });
    expect(rows("SELECT count(*) AS n FROM documents")).toEqual([{ n: 100 }]);
  });
});
