import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { rawDatabase } from "~/core/db.server";
import { closeWorkerPools } from "~/core/worker-pool.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { openTestDatabase } from "../../../../tests/support/database";
import { startIngestion, whenIdle } from "../../../../tests/support/ingestion";
import { makeMixedEml, makeZip } from "../../../../tests/support/mail-files";
import { getDocument } from "../documents.service.server";
import { readBatch } from "./batches.service.server";
import { addDocumentVersion } from "./document-versions.service.server";
import type { UploadPart } from "./ingest.schema";
import { receiveUpload } from "./upload.service.server";

let test: ReturnType<typeof openTestDatabase>;
let stop: () => Promise<void>;
beforeEach(() => {
  test = openTestDatabase();
  stop = startIngestion();
});
afterEach(async () => {
  await stop();
  test.close();
});
afterAll(closeWorkerPools);

const rows = (sql: string) => rawDatabase().prepare(sql).raw().all();
const HEAD = { From: "ann@example.org", Subject: "Offer" };

async function* partsOf(fileName: string, bytes: Uint8Array): AsyncGenerator<UploadPart> {
  for (const [name, value] of [
    ["category", "Finance"],
    ["visibility", "named"],
    ["readers", "usr_viewer"],
  ] as const)
    yield { kind: "field", name, value };
  const content = (async function* () {
    yield bytes;
  })();
  yield { kind: "file", fileName, contentType: "", bytes: content };
}
async function add(fileName: string, bytes: Uint8Array) {
  const upload = await receiveUpload(test.actors.member, partsOf(fileName, bytes));
  return { ...upload, id: upload.files[0]?.id ?? "" };
}
const shown = () =>
  rows("SELECT name, source, status FROM documents WHERE deleted_at IS NULL ORDER BY source");

const offer = () =>
  makeMixedEml(HEAD, [
    { type: "text/plain", body: "See the prices." },
    { type: "text/csv", name: "prices.csv", body: "item,price\nlamp,12\n" },
    { type: "image/png", name: "logo.png", body: "\x89PNG" },
    {
      type: "message/rfc822",
      name: "earlier.eml",
      body: makeMixedEml({ ...HEAD, Subject: "Earlier" }, [
        { type: "text/plain", body: "The first offer." },
        { type: "text/plain", name: "terms.txt", body: "Thirty days." },
      ]),
    },
  ]);

describe("a message with attachments", () => {
  it("has them as documents of their own, for the same people, and says what wasn't added", async () => {
    const { id, batchId } = await add("offer.eml", offer());
    await whenIdle();
    expect(shown()).toEqual([
      ["offer.eml", "offer.eml", "ready"],
      ["earlier.eml", "offer.eml/earlier.eml", "ready"],
      ["terms.txt", "offer.eml/earlier.eml/terms.txt", "ready"],
      ["prices.csv", "offer.eml/prices.csv", "ready"],
    ]);
    const targets = `SELECT DISTINCT d.created_by, d.visibility, c.name, r.user_id FROM documents d
      JOIN document_categories c ON c.id = d.category_id JOIN document_readers r ON r.document_id = d.id`;
    expect(rows(targets)).toEqual([["usr_member", "named", "Finance", "usr_viewer"]]);
    expect((await readBatch(test.actors.member, batchId)).counts).toMatchObject({ total: 4, ready: 4 });
    const parents = `SELECT d.name, p.name FROM documents d JOIN documents p ON p.id = d.parent_id ORDER BY d.source`;
    expect(rows(parents)).toEqual([
      ["earlier.eml", "offer.eml"],
      ["terms.txt", "earlier.eml"],
      ["prices.csv", "offer.eml"],
    ]);
    const { version } = getDocument(test.actors.member, id);
    expect(version?.facts.notes).toEqual([
      "Not added: logo.png (file type not supported: text in images isn't recognized).",
    ]);
  }, 40_000);

  it("adds nothing twice when its job runs again, and receives an interrupted attachment again", async () => {
    const { id } = await add("offer.eml", offer());
    await whenIdle();
    await stop();
    const [[terms]] = rows("SELECT id FROM documents WHERE name = 'terms.txt'") as [[string]];
    rawDatabase().exec(`
      UPDATE documents SET version_id = NULL, status = 'processing' WHERE id = '${id}';
      UPDATE document_versions SET state = 'read' WHERE document_id = '${id}';
      UPDATE jobs SET state = 'queued', finished_at = NULL WHERE subject = 'document:${id}';
      UPDATE documents SET version_id = NULL, status = 'failed' WHERE id = '${terms}';
      UPDATE document_versions SET state = 'failed', sha256 = NULL WHERE document_id = '${terms}'`);
    stop = startIngestion();
    await whenIdle();
    expect(shown()).toHaveLength(4);
    const again = rows("SELECT id, status FROM documents WHERE name = 'terms.txt' AND deleted_at IS NULL");
    expect(again).toEqual([[expect.not.stringMatching(terms), "ready"]]);
  }, 40_000);

  it("keeps a document that was there before", async () => {
    await add("prices.csv", Buffer.from("item,price\nlamp,12\n"));
    await add("offer.eml", offer());
    await whenIdle();
    const names = rows("SELECT source FROM documents WHERE name = 'prices.csv' AND deleted_at IS NULL");
    expect(names).toEqual([["prices.csv"]]);
  }, 40_000);
});

describe("an archive", () => {
  it("is a folder: its files are added with their paths, and it goes", async () => {
    const inner = makeZip({ "deep/c.txt": "Third." });
    const files = {
      "a.txt": "First.",
      "sub/b.md": "# Second",
      "sub/more.zip": inner,
      "__MACOSX/._a.txt": "x",
    };
    const { batchId } = await add("all.zip", makeZip(files));
    await whenIdle();
    expect(shown()).toEqual([
      ["a.txt", "all.zip/a.txt", "ready"],
      ["b.md", "all.zip/sub/b.md", "ready"],
      ["c.txt", "all.zip/sub/more.zip/deep/c.txt", "ready"],
    ]);
    expect((await readBatch(test.actors.member, batchId)).counts).toMatchObject({ total: 3, ready: 3 });
    const { entries } = listAudit(test.actors.member, { limit: 50 });
    // Restricted, so without its name.
    expect(entries.filter(({ action }) => action === "document.unpacked")).toMatchObject([
      { details: { files: 3 } },
    ]);
  }, 40_000);

  it("gives its large files whole, though they come in pieces", async () => {
    const large = Buffer.alloc(9_000_000, "\n");
    for (let at = 0; at < 9; at += 1) large.write(`word ${at}`, at * 1_000_000);
    await add("large.zip", makeZip({ "a.txt": "First.", "large.log": large, "z.txt": "Last." }));
    await whenIdle();
    const hashes = rows(
      "SELECT v.sha256, v.size FROM document_versions v JOIN documents d ON d.id = v.document_id WHERE d.name = 'large.log'",
    );
    expect(hashes).toEqual([[createHash("sha256").update(large).digest("hex"), large.length]]);
    expect(shown()).toHaveLength(3);
  }, 40_000);

  it("stays, with the reasons, if a file wasn't added", async () => {
    const { id } = await add("all.zip", makeZip({ "a.txt": "First.", "b.exe": "MZ", "c.txt": "" }));
    await whenIdle();
    expect(shown()).toEqual([
      ["all.zip", "all.zip", "failed"],
      ["a.txt", "all.zip/a.txt", "ready"],
    ]);
    expect(getDocument(test.actors.member, id).error).toBe(
      "1 file was added to the documents. Not added: b.exe (file type not supported), c.txt (it is empty).",
    );
    expect(rows("SELECT title FROM notifications")).toEqual([["Files of all.zip weren't added"]]);
  }, 40_000);

  it("without files is refused, and isn't taken for a new version of a document", async () => {
    const { member } = test.actors;
    await add("empty.zip", makeZip({}));
    const { id } = await add("note.txt", Buffer.from("A note."));
    await whenIdle();
    expect(rows("SELECT name, error FROM documents WHERE status = 'failed'")).toEqual([
      ["empty.zip", "This archive has no files."],
    ]);
    const bytes = Readable.from([makeZip({ "a.txt": "First." })]);
    await addDocumentVersion(member, id, { fileName: "note.zip", contentType: "", bytes });
    await whenIdle();
    expect(getDocument(member, id)).toMatchObject({
      status: "ready",
      error: "This is an archive. Upload it as a new document to add its files.",
    });
    expect(shown()).toHaveLength(2);
  }, 40_000);
});
