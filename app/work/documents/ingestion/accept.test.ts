import { afterAll, afterEach, beforeEach, expect, it } from "vitest";
import { db } from "~/core/db.server";
import { closeWorkerPools } from "~/core/worker-pool.server";
import { openTestDatabase } from "../../../../tests/support/database";
import { storedBytes } from "../../../../tests/support/ingestion";
import { listDocuments } from "../documents.service.server";
import { listVersions } from "../versions/versions.repo.server";
import { IngestInput } from "./ingest.schema";
import { ingest } from "./ingest.service.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(() => test.close());
afterAll(closeWorkerPools);

const LONG = "船今天停在北边的码头上。\n".repeat(15_000);
const add = (text: string) =>
  ingest(test.actors.member, IngestInput.parse({ text, title: "Log" }), { waitMs: 1 });

it("a long text is stored byte for byte, and recognised as a duplicate", async () => {
  const { document } = await add(LONG);
  const [version] = listVersions(db(), document.id);
  expect(version).toMatchObject({ state: "received", contentType: "text/plain; charset=utf-8" });
  expect(version?.size).toBe(Buffer.byteLength(LONG));
  expect(storedBytes(version?.id ?? "").equals(Buffer.from(LONG))).toBe(true);
  expect((await add(LONG)).document).toMatchObject({ id: document.id, duplicate: true });
});

it("adding the same long text twice concurrently creates one document", async () => {
  const [one, two] = await Promise.all([add(LONG), add(LONG)]);
  expect(one.document.id).toBe(two.document.id);
  expect((await listDocuments(test.actors.owner, { limit: 10 })).documents).toHaveLength(1);
});
