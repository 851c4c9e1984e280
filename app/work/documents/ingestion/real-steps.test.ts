import { afterAll, afterEach, beforeEach, expect, it, vi } from "vitest";
import { now, setClock } from "~/core/clock.server";
import { rawDatabase } from "~/core/db.server";
import { closeWorkerPools } from "~/core/worker-pool.server";
import { updateUserSettings } from "~/team/members/preferences.service.server";
import { openTestDatabase } from "../../../../tests/support/database";
import { startIngestion, whenIdle } from "../../../../tests/support/ingestion";
import { countRows } from "../../../../tests/support/knowledge";
import { patchDocument } from "../document-changes.service.server";
import { UNDO_TIME } from "../jobs/document-jobs.server";
import { deleteDocument } from "../removal/document-removal.service.server";
import { ingestSteps } from "./context.server";
import { addDocumentVersion } from "./document-versions.service.server";
import { IngestInput } from "./ingest.schema";
import { ingest } from "./ingest.service.server";
import { queuePurges } from "./schedule.server";

let test: ReturnType<typeof openTestDatabase>;
let stop: () => Promise<void>;
beforeEach(() => {
  test = openTestDatabase();
  updateUserSettings(test.actors.admin, { ragVectorMode: "sqlite" });
  stop = startIngestion(ingestSteps);
});
afterEach(async () => {
  await stop();
  setClock();
  test.close();
});
afterAll(closeWorkerPools);

const sections = (topic: string, from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => {
    const words = Array.from({ length: 60 }, (_, word) => `${topic}${(from + n) * 7 + word}`);
    return `# ${topic} ${from + n}\n\n${words.join(" ")}.`;
  }).join("\n\n");
const add = async (title: string, text: string) => {
  const { document } = await ingest(test.actors.member, IngestInput.parse({ title, text }));
  await whenIdle();
  return document.id;
};
/** Counts commits with a disk sync. */
function watchCommits(): () => number {
  const exec = vi.spyOn(rawDatabase(), "exec");
  return () => {
    const statements = exec.mock.calls.map(([sql]) => sql);
    const levels = statements.map((_, at) =>
      statements.slice(0, at).findLast((sql) => sql.includes("synchronous")),
    );
    return statements.filter((sql, at) => sql === "COMMIT" && !levels[at]?.includes("NORMAL")).length;
  };
}
/** Every chunk has terms and an entry; equal texts share a vector. */
function chunksOf(): number {
  const { chunks, ...rest } = countRows();
  const hashes = rawDatabase().prepare("SELECT count(DISTINCT hash) FROM chunks").pluck().get();
  expect(rest).toEqual({ terms: chunks, entries: chunks, points: chunks, embeddings: hashes });
  return chunks;
}

it("removes only a replaced version from search", async () => {
  await add("Other", sections("harbour", 0, 8));
  const others = chunksOf();
  const id = await add("Note", sections("ship", 0, 12));
  const before = chunksOf();
  expect(before).toBeGreaterThan(others);
  await addDocumentVersion(test.actors.member, id, { text: sections("ship", 8, 14), format: "text" });
  await whenIdle();
  const after = chunksOf();
  expect(after).toBeGreaterThan(others);
  expect(after).toBeLessThan(before);
  const versions = rawDatabase().prepare("SELECT DISTINCT version_id FROM chunks").all();
  expect(versions).toHaveLength(2);
}, 40_000);

it("syncs accepted documents to disk, but no derived data", async () => {
  // The first document creates the index.
  await add("Other", sections("harbour", 0, 8));
  const commits = watchCommits();
  await add("Note", sections("ship", 0, 12));
  expect(commits()).toBeGreaterThan(0);
  // A job that ends itself still counts as a commit.
  expect(commits()).toBeLessThanOrEqual(2);
}, 40_000);

it("finds a renamed document by its new name", async () => {
  const id = await add("Old berth", sections("ship", 0, 12));
  const chunks = chunksOf();
  const countMatching = (word: string) =>
    rawDatabase().prepare(`SELECT count(*) FROM terms_1 WHERE terms_1 MATCH 'title : ${word}'`).pluck().get();
  expect(countMatching("berth")).toBe(chunks);
  patchDocument(test.actors.member, id, { name: "New mooring" });
  await whenIdle();
  expect([countMatching("mooring"), countMatching("berth")]).toEqual([chunks, 0]);
  expect(chunksOf()).toBe(chunks);
}, 40_000);

it("removes only a purged document", async () => {
  await add("Other", sections("harbour", 0, 8));
  const others = chunksOf();
  const id = await add("Note", sections("ship", 0, 12));
  deleteDocument(test.actors.member, id);
  const later = now() + UNDO_TIME;
  setClock(() => later);
  queuePurges();
  await whenIdle();
  expect(chunksOf()).toBe(others);
  expect(rawDatabase().prepare("SELECT name FROM documents").pluck().all()).toEqual(["Other"]);
}, 40_000);
