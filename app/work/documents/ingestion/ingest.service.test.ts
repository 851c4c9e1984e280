import { afterEach, beforeEach, expect, it } from "vitest";
import { rawDatabase } from "~/core/db.server";
import { openTestDatabase } from "../../../../tests/support/database";
import { addDocument as addReady } from "../../../../tests/support/documents";
import { startIngestion, storedBytes } from "../../../../tests/support/ingestion";
import { type MockServer, startMockServer } from "../../../../tests/support/mock-server";
import { getDocument } from "../documents.service.server";
import { IngestInput } from "./ingest.schema";
import { ingest, refreshNow } from "./ingest.service.server";

let test: ReturnType<typeof openTestDatabase>;
let stop: () => Promise<void>;
let upstream: MockServer;
let page: string | undefined;

beforeEach(async () => {
  test = openTestDatabase({ EGRESS_ALLOW: "127.0.0.1" });
  upstream = await startMockServer((_, response) => {
    if (page === undefined) response.writeHead(404).end();
    else response.end(page);
  });
  page = "First words.";
  stop = startIngestion({
    readVersion: async ({ versionId }) => {
      const text = storedBytes(versionId).toString();
      const pieces = [{ start: 0, text, blocks: "[]" }];
      return { title: "", facts: { format: "Text" }, textHash: text, textLength: text.length, pieces };
    },
    indexVersion: async () => undefined,
    pageRecognizer: () => undefined,
    removeVersionChunks: async () => undefined,
    moveScope: async () => undefined,
    renewTerms: async () => undefined,
  });
});
afterEach(async () => {
  await stop();
  await upstream.close();
  test.close();
});

const add = async () => {
  const input = IngestInput.parse({ url: `${upstream.origin}/page` });
  return (await ingest(test.actors.member, input)).document.id;
};

it("reports a refresh as unchanged, changed or failed with the active version", async () => {
  const id = await add();
  expect(getDocument(test.actors.member, id).lastRefresh).toMatchObject({ outcome: "added", error: null });
  const outcome = async () => {
    const document = await refreshNow(test.actors.member, id);
    const { content } = getDocument(test.actors.member, id);
    return [document?.status, content, document?.lastRefresh?.outcome];
  };
  expect(await outcome()).toEqual(["ready", "First words.", "unchanged"]);
  page = "Other words.";
  expect(await outcome()).toEqual(["ready", "Other words.", "changed"]);
  page = undefined;
  expect(await outcome()).toEqual(["ready", "Other words.", "failed"]);
  expect(getDocument(test.actors.member, id).lastRefresh?.error).toContain("returned HTTP 404");
  page = "Other words.";
  expect(await outcome()).toEqual(["ready", "Other words.", "unchanged"]);
  const retried = rawDatabase().prepare(
    "SELECT count(*) FROM audit_entries WHERE action = 'document.retried'",
  );
  expect(retried.pluck().get()).toBe(4);
});

it("doesn't count someone else adding the same URL as a refresh", async () => {
  const id = await add();
  const input = IngestInput.parse({ url: `${upstream.origin}/page` });
  rawDatabase().exec("UPDATE documents SET created_by = 'usr_owner'");
  await ingest(test.actors.member, input);
  expect(getDocument(test.actors.member, id).lastRefresh).toMatchObject({ outcome: "added" });
});

it("stops waiting for a slow page", async () => {
  const id = await add();
  await stop();
  expect(await refreshNow(test.actors.member, id, { waitMs: 1 })).toBeUndefined();
});

it("is allowed for people who manage the document, and for URLs only", async () => {
  const id = await add();
  await expect(refreshNow(test.actors.viewer, id)).rejects.toMatchObject({ code: "forbidden" });
  rawDatabase().exec("UPDATE documents SET created_by = 'usr_owner'");
  await expect(refreshNow(test.actors.member, id)).rejects.toMatchObject({ code: "forbidden" });
  expect(await refreshNow(test.actors.admin, id)).toMatchObject({ lastRefresh: { outcome: "unchanged" } });
  await expect(refreshNow(test.actors.member, addReady("A text"))).rejects.toMatchObject({
    code: "conflict",
  });
});
