import { afterEach, beforeEach, expect, it } from "vitest";
import { listAudit } from "~/platform/audit/audit.service.server";
import { openTestDatabase } from "../../../../tests/support/database";
import { cancelBatch, createBatch } from "../ingestion/batches.service.server";
import { BatchInput, IngestInput } from "../ingestion/ingest.schema";
import { queueIngest } from "../ingestion/ingest.service.server";
import { cancelDocument, retryDocument } from "./work.service.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(() => test.close());

const entries = () =>
  listAudit(test.actors.owner, { limit: 20 }).entries.map(({ action, details, userId }) => ({
    action,
    details,
    userId,
  }));

it("audits adding, canceling and retrying a document when requested", () => {
  const { member } = test.actors;
  const { id } = queueIngest(member, IngestInput.parse({ text: "All of it.", title: "Plan" }));
  cancelDocument(member, id);
  retryDocument(member, id);
  const by = { userId: "usr_member" };
  expect(entries()).toEqual([
    { ...by, action: "document.retried", details: { filename: "Plan" } },
    { ...by, action: "document.cancelled", details: { filename: "Plan" } },
    { ...by, action: "document.queued", details: { filename: "Plan", type: "text" } },
  ]);
});

it("omits a restricted document's URL from its own and its batch's audit entries", async () => {
  const { member } = test.actors;
  const urls = ["https://example.org/a", "https://example.org/b"];
  const id = await createBatch(member, BatchInput.parse({ urls, visibility: "named", readers: [] }));
  await cancelBatch(member, id);
  const recorded = entries();
  expect(recorded.map(({ action }) => action)).toEqual([
    "batch.cancelled",
    "document.queued",
    "document.queued",
    "batch.created",
  ]);
  expect(recorded.at(-1)?.details).toEqual({ addresses: 2 });
  expect(JSON.stringify(recorded)).not.toContain("example.org");
});

it("audits no refused or ineffective request", () => {
  const { member, viewer } = test.actors;
  const { id } = queueIngest(member, IngestInput.parse({ text: "All of it.", title: "Plan" }));
  cancelDocument(member, id);
  const before = entries().length;
  expect(() => cancelDocument(member, id)).toThrow("isn't being processed");
  expect(() => cancelDocument(viewer, id)).toThrow(/Only members, admins and owners can/);
  expect(() => retryDocument(viewer, id)).toThrow(/Only members, admins and owners can/);
  expect(entries()).toHaveLength(before);
});
