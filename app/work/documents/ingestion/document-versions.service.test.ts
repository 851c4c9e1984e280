import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { rawDatabase, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { listAudit } from "~/platform/audit/audit.service.server";
import { changeRole } from "~/team/members/member.service.server";
import { openTestDatabase } from "../../../../tests/support/database";
import { startIngestion, storedBytes, whenIdle } from "../../../../tests/support/ingestion";
import { removeMember } from "../../../../tests/support/members";
import { patchDocument } from "../document-changes.service.server";
import { getDocument } from "../documents.service.server";
import { addJob, purgeJob } from "../jobs/document-jobs.server";
import { deleteDocument, restoreDocument } from "../removal/document-removal.service.server";
import { listVersions, readOriginal, readText } from "../versions/document-parts.service.server";
import type { IngestSteps } from "./context.server";
import {
  addDocumentVersion,
  changeEncoding,
  receiveDocumentVersion,
  restoreVersion,
} from "./document-versions.service.server";
import type { UploadPart } from "./ingest.schema";
import { IngestInput } from "./ingest.schema";
import { ingest } from "./ingest.service.server";
import { receiveUpload } from "./upload.service.server";

async function* bytes(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

async function* partsOf(...parts: UploadPart[]): AsyncGenerator<UploadPart> {
  yield* parts;
}

const file = (fileName: string, ...texts: string[]): UploadPart => ({
  kind: "file",
  fileName,
  contentType: "text/plain",
  bytes: bytes(...texts),
});

describe("versions of a document", () => {
  let test: ReturnType<typeof openTestDatabase>;
  let stop: () => Promise<void>;
  const read = vi.fn<IngestSteps["readVersion"]>();
  const moveScope = vi.fn<IngestSteps["moveScope"]>(async () => undefined);
  const renewTerms = vi.fn<IngestSteps["renewTerms"]>(async () => undefined);
  beforeEach(() => {
    test = openTestDatabase();
    moveScope.mockClear();
    renewTerms.mockClear();
    read.mockReset();
    read.mockImplementation(async ({ versionId }) => {
      const text = storedBytes(versionId).toString().replace(/^#+ /, "");
      const blocks = JSON.stringify([{ kind: "paragraph", start: 0, end: text.length }]);
      const pieces = [{ start: 0, text, blocks }];
      return { title: "", facts: { format: "Text" }, textHash: text, textLength: text.length, pieces };
    });
    const steps: IngestSteps = {
      readVersion: read,
      indexVersion: async () => undefined,
      pageRecognizer: () => undefined,
      removeVersionChunks: async () => undefined,
      moveScope,
      renewTerms,
    };
    stop = startIngestion(steps);
  });
  afterEach(async () => {
    await stop();
    test.close();
  });

  const addText = async (text: string) =>
    (await ingest(test.actors.member, IngestInput.parse({ text, title: "Note" }))).document.id;
  const states = (id: string) =>
    listVersions(test.actors.member, id, { limit: 9 }).versions.map(
      ({ number, state }) => `${number} ${state}`,
    );
  const text = (id: string) => readText(test.actors.member, id, { from: 0 }).text;

  it("replace a text, and can be restored", async () => {
    const id = await addText("First.");
    const detail = await addDocumentVersion(test.actors.member, id, { text: "Second.", format: "text" });
    expect(detail.status).toBe("processing");
    await whenIdle();
    expect([text(id), ...states(id)]).toEqual(["Second.", "2 served", "1 replaced"]);
    expect(getDocument(test.actors.viewer, id)).toMatchObject({ status: "ready", content: "Second." });

    restoreVersion(test.actors.admin, id, 1);
    await whenIdle();
    expect([text(id), ...states(id)]).toEqual(["First.", "2 replaced", "1 served"]);
    const audited = rawDatabase().prepare("SELECT action FROM audit_entries").pluck().all();
    expect(audited).toContain("document.version_restored");
    expect(getDocument(test.actors.viewer, id).content).toBe("First.");
    expect(() => restoreVersion(test.actors.member, id, 1)).toThrow(/previously current/);
    expect(() => restoreVersion(test.actors.member, id, 7)).toThrow(/Version not found/);
  });

  it("that were replaced by an earlier one don't stand for the same content", async () => {
    const id = await addText("First.");
    await addDocumentVersion(test.actors.member, id, { text: "Second.", format: "text" });
    await whenIdle();
    expect(await addText("Second.")).toBe(id);
    restoreVersion(test.actors.admin, id, 1);
    await whenIdle();
    expect(await addText("First.")).toBe(id);
    const other = await addText("Second.");
    expect(other).not.toBe(id);
    await whenIdle();
    expect([text(id), text(other)]).toEqual(["First.", "Second."]);
  });

  it("are accepted while a purge is pending", async () => {
    const id = await addText("First.");
    const purge = transaction((tx) => addJob(tx, test.actors.member, purgeJob, { documentId: id }));
    rawDatabase().prepare("UPDATE jobs SET state = 'running' WHERE id = ?").run(purge);
    await addDocumentVersion(test.actors.member, id, { text: "Second.", format: "text" });
    await expect.poll(() => text(id)).toBe("Second.");
    expect(() => restoreVersion(test.actors.admin, id, 1)).toThrow(/being processed/);
  });

  it("are added when only a text's formatting changed", async () => {
    const id = await addText("# First");
    await addDocumentVersion(test.actors.member, id, { text: "## First", format: "text" });
    await whenIdle();
    expect(states(id)).toEqual(["2 served", "1 replaced"]);
    const original = Buffer.concat([...readOriginal(test.actors.member, id).pieces]).toString();
    expect(original).toBe("## First");
  });

  it("of a file keep the uploaded file's name", async () => {
    const { files } = await receiveUpload(test.actors.member, partsOf(file("plan.txt", "One")));
    const id = files[0]?.id ?? "";
    await whenIdle();
    const parts = partsOf(
      { kind: "field", name: "x", value: "y" },
      file("", ""),
      file("../plan-2.txt", "T", "wo"),
    );
    await receiveDocumentVersion(test.actors.member, id, parts);
    await whenIdle();
    expect(getDocument(test.actors.viewer, id)).toMatchObject({
      name: "plan.txt",
      metadata: { source: "plan-2.txt" },
    });
    expect(readOriginal(test.actors.viewer, id).name).toBe("plan-2.txt");
    expect(text(id)).toBe("Two");
    const { entries } = listAudit(test.actors.owner, { limit: 20 });
    expect(entries.filter(({ action }) => action === "document.version_queued")).toMatchObject([
      { resource: `document:${id}`, details: { name: "plan.txt", source: "plan-2.txt", size: 3 } },
    ]);
  });

  it("that fail leave the document ready, with the error, its text and its source", async () => {
    const { member, owner, viewer } = test.actors;
    const { files } = await receiveUpload(member, partsOf(file("plan.txt", "One")));
    const id = files[0]?.id ?? "";
    await whenIdle();
    const working = read.getMockImplementation();
    read.mockRejectedValue(new AppError("unprocessable", "It is protected by a password."));
    const next = (text: string) => receiveDocumentVersion(member, id, partsOf(file("plan-2.txt", text)));
    await next("Two");
    await whenIdle();
    const current = { status: "ready", metadata: { source: "plan.txt" }, version: { number: 1 } };
    expect(getDocument(viewer, id)).toMatchObject({ ...current, error: "It is protected by a password." });
    await expect(next("One")).rejects.toThrow("The content is unchanged");
    expect([text(id), ...states(id)]).toEqual(["One", "2 failed", "1 served"]);
    // The content of the failed version isn't searched, so it isn't a duplicate.
    const again = await receiveUpload(owner, partsOf(file("plan-2.txt", "Two")));
    expect(again.files).toMatchObject([{ duplicateOf: null }]);
    await whenIdle();
    if (working) read.mockImplementation(working);
    await next("Three");
    await whenIdle();
    expect(getDocument(viewer, id)).toMatchObject({ status: "ready", error: null });
  });

  it("leave the document unchanged when invalid", async () => {
    const id = await addText("First.");
    const { files } = await receiveUpload(test.actors.member, partsOf(file("plan.txt", "One")));
    await whenIdle();
    const { member } = test.actors;
    const refused: [() => Promise<unknown>, RegExp][] = [
      [() => addDocumentVersion(member, id, { text: "First.", format: "text" }), /content is unchanged/],
      [() => receiveDocumentVersion(member, id, partsOf(file("a.txt", "x"))), /This document is a text/],
      [
        () => addDocumentVersion(member, files[0]?.id ?? "", { text: "x", format: "text" }),
        /This document is a file/,
      ],
      [() => receiveDocumentVersion(member, files[0]?.id ?? "", partsOf(file("a.txt"))), /The file is empty/],
      [() => receiveDocumentVersion(member, files[0]?.id ?? "", partsOf()), /Please choose a file/],
      [
        () => addDocumentVersion(test.actors.viewer, id, { text: "x", format: "text" }),
        /Only members, admins and owners can/,
      ],
      [() => addDocumentVersion(member, "doc_none", { text: "x", format: "text" }), /not found/],
    ];
    for (const [request, message] of refused) await expect(request()).rejects.toThrow(message);
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from("half");
      throw new Error("gone");
    }
    const half: UploadPart = { kind: "file", fileName: "a.txt", contentType: "", bytes: broken() };
    await expect(receiveDocumentVersion(member, files[0]?.id ?? "", partsOf(half))).rejects.toThrow("gone");
    expect([text(id), ...states(id), ...states(files[0]?.id ?? "")]).toEqual([
      "First.",
      "1 served",
      "1 served",
    ]);
    expect(rawDatabase().prepare("SELECT count(*) FROM document_parts").pluck().get()).toBe(2);
  });

  it("can be added by the document's creator and admins", async () => {
    const { document } = await ingest(test.actors.owner, IngestInput.parse({ text: "Theirs.", title: "T" }));
    await expect(
      addDocumentVersion(test.actors.member, document.id, { text: "x", format: "text" }),
    ).rejects.toThrow(/Only the person/);
    expect(() => restoreVersion(test.actors.member, document.id, 1)).toThrow(/Only the person/);
  });

  it.each([
    ["is demoted", () => changeRole(test.actors.admin, "usr_member", "viewer")],
    ["is removed", () => removeMember(test.actors.admin, "usr_member")],
  ])("are refused if the sender %s during the upload, even when stalled", async (_, change) => {
    const { files } = await receiveUpload(test.actors.member, partsOf(file("plan.txt", "One")));
    const id = files[0]?.id ?? "";
    await whenIdle();
    async function* silent(): AsyncGenerator<Uint8Array> {
      yield Buffer.from("half");
      setImmediate(change);
      await new Promise(() => undefined);
    }
    const part: UploadPart = { kind: "file", fileName: "a.txt", contentType: "", bytes: silent() };
    await expect(receiveDocumentVersion(test.actors.member, id, partsOf(part))).rejects.toMatchObject({
      code: "forbidden",
    });

    expect([getDocument(test.actors.admin, id).status, ...states(id)]).toEqual(["ready", "1 served"]);
  });

  it("are read in a chosen encoding, which later ones keep", async () => {
    const { member, viewer, owner } = test.actors;
    const { files } = await receiveUpload(member, partsOf(file("dos.txt", "Gr\x94\xe1e")));
    const id = files[0]?.id ?? "";
    await whenIdle();
    await expect(changeEncoding(member, id, { encoding: "cp850" })).rejects.toThrow(/says its own encoding/);

    const guess = { facts: { format: "Text", encoding: "cp437", encodingBasis: "uncertain" as const } };
    const working = read.getMockImplementation();
    read.mockImplementation(async (version, signal) => ({
      ...(await (working as IngestSteps["readVersion"])(version, signal)),
      ...guess,
      textHash: `${version.versionId} ${version.encoding}`,
    }));
    await receiveDocumentVersion(member, id, partsOf(file("dos.txt", "Two")));
    await whenIdle();
    await expect(changeEncoding(viewer, id, { encoding: "cp850" })).rejects.toThrow(/Only members, admins/);
    await expect(changeEncoding(member, id, { encoding: "cp437" })).rejects.toThrow(
      /in that encoding already/,
    );
    expect((await changeEncoding(member, id, { encoding: "cp850" })).status).toBe("processing");
    await expect(changeEncoding(member, id, { encoding: "cp852" })).rejects.toThrow(/being processed/);
    await whenIdle();
    expect(states(id)).toEqual(["3 served", "2 replaced", "1 replaced"]);
    expect(text(id)).toBe("Two");
    const { entries } = listAudit(owner, { limit: 20 });
    expect(entries).toContainEqual(
      expect.objectContaining({
        action: "document.encoding_changed",
        details: expect.objectContaining({ name: "dos.txt", encoding: "cp850" }),
      }),
    );

    await receiveDocumentVersion(member, id, partsOf(file("dos.txt", "Three")));
    await whenIdle();
    expect(read.mock.calls.map(([{ encoding }]) => encoding)).toEqual([
      undefined,
      undefined,
      "cp850",
      "cp850",
    ]);
    await expect(receiveDocumentVersion(member, id, partsOf(file("dos.txt", "Three")))).rejects.toThrow(
      "The content is unchanged",
    );
  });

  it("are refused for removed members", async () => {
    const id = await addText("First.");
    rawDatabase().prepare("UPDATE users SET role = 'viewer' WHERE id = 'usr_member'").run();
    await expect(addDocumentVersion(test.actors.member, id, { text: "x", format: "text" })).rejects.toThrow(
      /Only members, admins and owners can/,
    );
    expect(states(id)).toEqual(["1 served"]);
  });

  it("that can't be read leave the active version", async () => {
    const id = await addText("First.");
    read.mockRejectedValueOnce(new Error("defect"));
    await addDocumentVersion(test.actors.member, id, { text: "Second.", format: "text" });
    await whenIdle();
    expect([text(id), ...states(id)]).toEqual(["First.", "2 failed", "1 served"]);
    expect(getDocument(test.actors.viewer, id)).toMatchObject({
      ...{ status: "ready", content: "First." },
      error: expect.stringContaining("went wrong"),
    });
  });

  it("are processed after a document deleted in the meantime is restored", async () => {
    let go = () => {};
    read.mockImplementationOnce(
      (_, signal) =>
        new Promise((_resolve, reject) => {
          go = () => reject(signal.reason);
          signal.addEventListener("abort", go);
        }),
    );
    const input = IngestInput.parse({ text: "Slow.", title: "Slow" });
    const { document } = await ingest(test.actors.member, input, { waitMs: 0 });
    await expect.poll(() => read).toHaveBeenCalled();
    deleteDocument(test.actors.member, document.id);
    await whenIdle();
    expect(restoreDocument(test.actors.member, document.id).status).toBe("processing");
    await whenIdle();
    expect(text(document.id)).toBe("Slow.");
  });

  it("are found by the document's new name after a rename", async () => {
    const id = await addText("First.");
    patchDocument(test.actors.member, id, { name: "Note", category: "Finance" });
    await whenIdle();
    expect(renewTerms).not.toHaveBeenCalled();
    patchDocument(test.actors.member, id, { name: "Other" });
    await whenIdle();
    expect(renewTerms).toHaveBeenCalledExactlyOnceWith(id, expect.any(AbortSignal));
  });

  it("follow the document's visibility in the index", async () => {
    const id = await addText("First.");
    patchDocument(test.actors.member, id, { name: "Other" });
    await whenIdle();
    expect(moveScope).not.toHaveBeenCalled();
    patchDocument(test.actors.member, id, { visibility: "named" });
    await whenIdle();
    expect(moveScope).toHaveBeenCalledExactlyOnceWith(id, expect.any(AbortSignal));
  });
});
