import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { db, rawDatabase } from "~/core/db.server";
import { closeWorkerPools, WorkerPool } from "~/core/worker-pool.server";
import { listAudit } from "~/features/audit/audit.service.server";
import { openTestDatabase } from "../../../../tests/support/database";
import { storedBytes } from "../../../../tests/support/ingestion";
import { removeMember } from "../../../../tests/support/members";
import { listDocuments } from "../documents/documents.service.server";
import { listVersions } from "../documents/versions/versions.repo.server";
import { IngestInput } from "./ingest.schema";
import { ingest } from "./ingest.service.server";
import * as receiving from "./receive.server";
import { sweepBrokenUploads } from "./schedule.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(async () => {
  await closeWorkerPools();
  test.close();
});

const LONG = "船今天停在北边的码头上。\n".repeat(70_000);
const add = (text: string) =>
  ingest(test.actors.member, IngestInput.parse({ text, title: "Log" }), { waitMs: 1 });
const documents = async () => (await listDocuments(test.actors.owner, { limit: 10 })).documents;
const actions = () => listAudit(test.actors.owner, { limit: 9 }).entries.map(({ action }) => action);

it("a long text is prepared in a thread and written in several commits, each byte of it", async () => {
  const inThread = vi.spyOn(WorkerPool.prototype, "run");
  const { document } = await add(LONG);
  expect(inThread).toHaveBeenCalledOnce();
  const [version] = listVersions(db(), document.id);
  expect(version).toMatchObject({ state: "received", contentType: "text/plain; charset=utf-8" });
  expect(version?.size).toBe(Buffer.byteLength(LONG));
  expect(storedBytes(version?.id ?? "").equals(Buffer.from(LONG))).toBe(true);
  expect((await add(LONG)).document).toMatchObject({ id: document.id, duplicate: true });
  inThread.mockClear();
  await add("A short one.");
  expect(inThread).not.toHaveBeenCalled();
});

it("of the same long text twice at once one document stays", async () => {
  const [one, two] = await Promise.all([add(LONG), add(LONG)]);
  expect(one.document.id).toBe(two.document.id);
  expect(await documents()).toHaveLength(1);
});

it("what someone sent who was removed before it was written is taken away again", async () => {
  const original = receiving.receiveBytes;
  vi.spyOn(receiving, "receiveBytes").mockImplementation(async (...all) => {
    removeMember(test.actors.owner, "usr_member");
    return original(...all);
  });
  await expect(add(LONG)).rejects.toMatchObject({ code: "forbidden" });
  expect(await documents()).toEqual([]);
  expect(actions().slice(0, 3)).toEqual(["document.discarded", "member.removed", "document.queued"]);
});

it("what a crash broke off says so, and can be added again", async () => {
  const { document } = await add(LONG);
  rawDatabase().exec(
    "DELETE FROM ingest_jobs; UPDATE document_versions SET state = 'receiving', sha256 = NULL",
  );
  expect(sweepBrokenUploads()).toBe(1);
  const [failed] = await documents();
  expect(failed).toMatchObject({ id: document.id, status: "failed" });
  expect(failed?.error).toBe("The server stopped before the text was stored. Add the text again.");
  expect((await add(LONG)).document.id).not.toBe(document.id);
});
