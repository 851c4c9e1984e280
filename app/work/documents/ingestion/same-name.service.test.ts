import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { rawDatabase } from "~/core/db.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { openTestDatabase } from "../../../../tests/support/database";
import { startIngestion, whenIdle } from "../../../../tests/support/ingestion";
import { patchDocument } from "../document-changes.service.server";
import { getDocument } from "../documents.service.server";
import { readBatch } from "./batches.service.server";
import type { IngestSteps } from "./context.server";
import type { UploadPart } from "./ingest.schema";
import { decideSameName, decideSameNames } from "./same-name.service.server";
import { receiveUpload } from "./upload.service.server";

let test: ReturnType<typeof openTestDatabase>;
let stop: () => Promise<void>;
const steps: IngestSteps = {
  readVersion: async ({ versionId }) => {
    const pieces = [{ start: 0, text: "text", blocks: "[]" }];
    return { title: "", facts: { format: "Text" }, textHash: versionId, textLength: 4, pieces };
  },
  indexVersion: async () => ({ hasEmbeddings: true }),
  pageRecognizer: () => undefined,
  removeVersionChunks: async () => undefined,
  moveScope: async () => undefined,
  renewTerms: async () => undefined,
};
beforeEach(() => {
  test = openTestDatabase();
  stop = startIngestion(steps);
});
afterEach(async () => {
  await stop();
  test.close();
});

const rows = (sql: string) => rawDatabase().prepare(sql).raw().all();

type Sent = readonly [name: string, text: string];

async function* partsOf(files: readonly Sent[], fields: Record<string, string>): AsyncGenerator<UploadPart> {
  for (const [name, value] of Object.entries(fields)) yield { kind: "field", name, value };
  for (const [fileName, text] of files) {
    const bytes = (async function* () {
      yield Buffer.from(text);
    })();
    yield { kind: "file", fileName, contentType: "text/plain", bytes };
  }
}
async function add(files: readonly Sent[], as: "member" | "admin" = "member", fields = {}) {
  const upload = await receiveUpload(test.actors[as], partsOf(files, fields));
  await whenIdle();
  return { ...upload, ids: upload.files.map(({ id }) => id ?? "") };
}

describe("a file with the name of an older document", () => {
  it("is added, and may become its new version", async () => {
    const { member } = test.actors;
    const [old = ""] = (await add([["plan.txt", "First."]])).ids;
    const { files, ids, batchId } = await add([["plan.txt", "Second."]]);
    const [id = ""] = ids;
    const older = { id: old, name: "plan.txt" };
    expect(files).toMatchObject([{ status: "processing", duplicateOf: null, sameNameAs: older }]);
    expect(getDocument(member, id).sameNameAs).toEqual(older);
    expect((await readBatch(member, batchId)).sameNames).toEqual([id]);
    expect(await decideSameName(member, id, "version")).toMatchObject({ id: old, status: "processing" });
    await whenIdle();
    expect(getDocument(member, old).version).toMatchObject({ number: 2, state: "served", size: 7 });
    expect(rows("SELECT id FROM documents WHERE deleted_at IS NULL")).toEqual([[old]]);
    await expect(decideSameName(member, id, "version")).rejects.toMatchObject({ code: "not_found" });
  });

  it("may be kept beside it", async () => {
    const { member } = test.actors;
    await add([["plan.txt", "First."]]);
    const [id = ""] = (await add([["plan.txt", "Second."]])).ids;
    expect(await decideSameName(member, id, "separate")).toMatchObject({ id, sameNameAs: null });
    expect(rows("SELECT count(*) FROM documents WHERE deleted_at IS NULL")).toEqual([[2]]);
    const { entries } = listAudit(member, { limit: 9 });
    expect(entries.filter(({ action }) => action === "document.kept")).toMatchObject([
      { resource: `document:${id}`, details: { name: "plan.txt" } },
    ]);
    await expect(decideSameName(member, id, "version")).rejects.toMatchObject({ code: "conflict" });
  });

  it("is decided by the upload itself if that says how", async () => {
    const [old] = (await add([["plan.txt", "First."]])).ids;
    const version = await add([["plan.txt", "Second."]], "member", { sameName: "version" });
    expect(version.files).toMatchObject([{ id: old, sameNameAs: null }]);
    const separate = await add([["plan.txt", "Third."]], "member", { sameName: "separate" });
    expect(separate.files).toMatchObject([{ id: expect.not.stringMatching(old ?? ""), sameNameAs: null }]);
    expect(rows("SELECT count(*) FROM documents WHERE deleted_at IS NULL")).toEqual([[2]]);
    const unknown = add([["plan.txt", "Fourth."]], "member", { sameName: "both" });
    await expect(unknown).rejects.toMatchObject({ code: "invalid" });
  });

  it("is asked about only where one may change both, and where nobody else would see it", async () => {
    const { member, admin } = test.actors;
    await add([["plan.txt", "First."]], "admin");
    const [id = ""] = (await add([["plan.txt", "Second."]])).ids;
    expect(getDocument(member, id).sameNameAs).toBeNull();
    expect(getDocument(admin, id).sameNameAs).toMatchObject({ name: "plan.txt" });
    await expect(decideSameName(member, id, "version")).rejects.toMatchObject({ code: "conflict" });
    const { files } = await add([["plan.txt", "Third."]], "member", { visibility: "named" });
    expect(files[0]?.sameNameAs).toBeNull();
    // The one who added the older one sees it, too.
    await add([["note.txt", "First."]], "member", { visibility: "named", readers: admin.userId });
    const ofAdmin = await add([["note.txt", "Second."]], "admin", { visibility: "named" });
    expect(ofAdmin.files[0]?.sameNameAs).toBeNull();
  });

  it("doesn't become a version that others see, where the older one was shared since", async () => {
    const { member } = test.actors;
    const restricted = { visibility: "named" };
    const [old = ""] = (await add([["plan.txt", "First."]], "member", restricted)).ids;
    const [id = ""] = (await add([["plan.txt", "Second."]], "member", restricted)).ids;
    patchDocument(member, old, { visibility: "organisation" });
    const reason = '"plan.txt" is visible to people who can\'t see the new file.';
    await expect(decideSameName(member, id, "version")).rejects.toThrow(reason);
    expect(getDocument(member, old).version).toMatchObject({ number: 1 });
    expect(rows("SELECT count(*) FROM document_versions")).toEqual([[2]]);
    expect(getDocument(member, id).sameNameAs).toMatchObject({ id: old });
  });

  it("isn't compared with files of its own upload", async () => {
    const { files } = await add([
      ["a/README.md", "One."],
      ["b/README.md", "Two."],
    ]);
    expect(files.map(({ sameNameAs }) => sameNameAs)).toEqual([null, null]);
  });

  it("is decided together with others; those that can't be now are left", async () => {
    const { member } = test.actors;
    await add([
      ["a.txt", "A."],
      ["b.txt", "B."],
    ]);
    const { ids } = await add([
      ["a.txt", "A2."],
      ["b.txt", "B2."],
      ["c.txt", "C."],
    ]);
    expect(await decideSameNames(member, ids, "version")).toMatchObject({ documents: 2, skipped: 1 });
    await whenIdle();
    expect(rows("SELECT name FROM documents WHERE deleted_at IS NULL ORDER BY name")).toEqual([
      ["a.txt"],
      ["b.txt"],
      ["c.txt"],
    ]);
  });
});
