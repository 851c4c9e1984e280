import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { now, setClock } from "~/core/clock.server";
import { db, rawDatabase } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { updateUserSettings } from "~/team/members/preferences.service.server";
import { requireActiveIndex } from "~/work/index/generations/live-indexes.server";
import { openTestDatabase } from "../../../../tests/support/database";
import { startIngestion, storedBytes } from "../../../../tests/support/ingestion";
import { type MockServer, startMockServer } from "../../../../tests/support/mock-server";
import { getDocument, listDocuments } from "../documents.service.server";
import { retryDocument } from "../jobs/work.service.server";
import { listDeleted } from "../removal/document-removal.service.server";
import { listVersions } from "../versions/versions.repo.server";
import { createBatch } from "./batches.service.server";
import type { IngestSteps } from "./context.server";
import { BatchInput, IngestInput, TextForm, UrlForm } from "./ingest.schema";
import { ingest } from "./ingest.service.server";

const input = (value: Record<string, unknown>) => IngestInput.parse(value);
const count = (table: string) => rawDatabase().prepare(`SELECT count(*) FROM ${table}`).pluck().get();

/** Steps that take a version's bytes as its text. */
function stepsForTest(): { [Name in keyof IngestSteps]: ReturnType<typeof vi.fn<IngestSteps[Name]>> } {
  return {
    readVersion: vi.fn<IngestSteps["readVersion"]>(async ({ versionId }) => {
      const text = storedBytes(versionId).toString();
      const blocks = JSON.stringify([{ kind: "paragraph", start: 0, end: text.length }]);
      return {
        title: "",
        facts: { format: "Text" },
        textHash: text.trim(),
        textLength: text.length,
        pieces: [{ start: 0, text, blocks }],
      };
    }),
    indexVersion: vi.fn<IngestSteps["indexVersion"]>(async () => undefined),
    pageRecognizer: vi.fn<IngestSteps["pageRecognizer"]>(() => undefined),
    removeVersionChunks: vi.fn<IngestSteps["removeVersionChunks"]>(async () => undefined),
    moveScope: vi.fn<IngestSteps["moveScope"]>(async () => undefined),
    renewTerms: vi.fn<IngestSteps["renewTerms"]>(async () => undefined),
  };
}

describe("ingesting a text or an address", () => {
  let test: ReturnType<typeof openTestDatabase>;
  let steps: ReturnType<typeof stepsForTest>;
  let stop: () => Promise<void>;
  let upstream: MockServer | undefined;
  beforeEach(() => {
    test = openTestDatabase({ EGRESS_ALLOW: "127.0.0.1" });
    steps = stepsForTest();
    stop = startIngestion(steps);
  });
  afterEach(async () => {
    await stop();
    setClock();
    await upstream?.close();
    upstream = undefined;
    test.close();
  });

  it("names a text by its date, indexes it and audits it", async () => {
    setClock(() => Date.parse("2026-02-03T12:00:00Z"));
    const outcome = await ingest(test.actors.member, input({ text: "Hello there." }));
    expect(outcome).toEqual({
      done: true,
      document: {
        id: expect.stringMatching(/^doc_/),
        title: "Text Document 2/3/2026",
        chunks: 0,
        hasEmbeddings: false,
      },
    });
    const [document] = (await listDocuments(test.actors.viewer, { category: "Uncategorized", limit: 10 }))
      .documents;
    expect(document).toMatchObject({ status: "ready", content: "Hello there.", progress: null });
    const audit = rawDatabase().prepare("SELECT action, details FROM audit_entries").all();
    expect(audit).toEqual([
      {
        action: "document.queued",
        details: JSON.stringify({ filename: "Text Document 2/3/2026", type: "text" }),
      },
      {
        action: "document.uploaded",
        details: expect.stringMatching(
          /^\{"filename":"Text Document 2\/3\/2026","chunks":0,"size":12,"jobId":"job_\w+"\}$/,
        ),
      },
    ]);
  });

  it("recognises a duplicate text", async () => {
    const first = await ingest(test.actors.member, input({ text: "Once.", title: "One" }));
    const again = await ingest(test.actors.admin, input({ text: "Once.", title: "Two" }));
    expect(again).toEqual({ done: true, document: { ...first.document, duplicate: true } });
    expect(count("documents")).toBe(1);
    expect(steps.readVersion).toHaveBeenCalledTimes(1);
  });

  it("doesn't reveal a duplicate that the actor can't see", async () => {
    const named = { text: "Secret.", visibility: "named" };
    const first = await ingest(test.actors.member, input(named));
    const other = await ingest(test.actors.admin, input({ text: "Secret." }));
    expect(other.document.duplicate).toBeUndefined();
    expect(other.document.id).not.toBe(first.document.id);
  });

  it("returns the error when it fails, and keeps the document", async () => {
    steps.readVersion.mockRejectedValue(new Error("defect"));
    await expect(ingest(test.actors.member, input({ text: "Broken." }))).rejects.toMatchObject({
      code: "unprocessable",
      message: "Something went wrong on the server. Try again.",
    });
    const [document] = (await listDocuments(test.actors.member, { category: "Uncategorized", limit: 10 }))
      .documents;
    expect(document).toMatchObject({ status: "failed", error: expect.stringContaining("went wrong") });
  });

  it("keeps no document of an address that the egress guard refuses", async () => {
    const url = "http://169.254.169.254/latest";
    await expect(ingest(test.actors.member, input({ url }))).rejects.toMatchObject({
      code: "egress_refused",
    });
    expect((await listDocuments(test.actors.member, { limit: 10 })).documents).toEqual([]);
    expect(listDeleted(test.actors.member, { limit: 10 }).documents).toEqual([]);
  });

  it("accepts a failed text again", async () => {
    steps.readVersion.mockRejectedValueOnce(new Error("defect"));
    const text = input({ text: "At the second try." });
    await expect(ingest(test.actors.member, text)).rejects.toThrow();
    expect(await ingest(test.actors.member, text)).toMatchObject({
      done: true,
      document: { duplicate: true },
    });
    expect(count("documents")).toBe(1);
  });

  it("is searchable by keywords if the embedder keeps failing, with a notice", async () => {
    updateUserSettings(test.actors.admin, { ragVectorMode: "sqlite" });
    requireActiveIndex(test.actors.member.orgId);
    steps.indexVersion.mockImplementation(async ({ allowKeywordsOnly, onProgress }) => {
      onProgress("embedding", 0, 1);
      if (allowKeywordsOnly) return { hasEmbeddings: false };
      throw new AppError("provider_unavailable", "The embedder is away.", { retryAfter: 900 });
    });
    const outcome = ingest(test.actors.member, input({ text: "Waiting." }));
    await expect
      .poll(() => rawDatabase().prepare("SELECT state, error FROM jobs").all())
      .toEqual([{ state: "scheduled", error: "The embedder is away." }]);
    const later = now() + 2000;
    setClock(() => later);
    expect(await outcome).toMatchObject({ done: true, document: { hasEmbeddings: false } });
    expect(steps.indexVersion).toHaveBeenCalledTimes(2);
  });

  it("responds with the status if it takes longer than the call waits", async () => {
    let go = () => {};
    steps.indexVersion.mockReturnValue(
      new Promise((resolve) => {
        go = () => resolve(undefined);
      }),
    );
    const outcome = await ingest(test.actors.member, input({ text: "Slow." }), { waitMs: 20 });
    expect(outcome).toMatchObject({ done: false, document: { status: "processing" } });
    go();
    await expect
      .poll(
        async () =>
          (await listDocuments(test.actors.member, { category: "Uncategorized", limit: 1 })).documents[0]
            ?.status,
      )
      .toBe("ready");
  });

  it("fetches a URL, and replaces it atomically when changed", async () => {
    let page = "First words.";
    upstream = await startMockServer((_, response) => response.end(page));
    const url = `${upstream.origin}/guide/start?x=1#part`;
    const first = await ingest(test.actors.member, input({ url }));
    expect(first).toMatchObject({ done: true, document: { title: "127.0.0.1/guide/start" } });
    page = "Other words.";
    const again = await ingest(test.actors.member, input({ url }));
    expect(again).toMatchObject({ done: true, document: { id: first.document.id, duplicate: true } });
    const versions = listVersions(db(), first.document.id);
    expect(versions.map(({ number, state }) => [number, state])).toEqual([
      [2, "served"],
      [1, "replaced"],
    ]);
    const [document] = (await listDocuments(test.actors.member, { category: "Uncategorized", limit: 1 }))
      .documents;
    expect(document?.content).toBe("Other words.");
    await expect
      .poll(() => steps.removeVersionChunks.mock.calls.map(([id]) => id))
      .toEqual([versions[1]?.id]);
  });

  it("treats the same bytes or text as unchanged", async () => {
    const pages = ["The page.", "The page.", " The page. \n"];
    upstream = await startMockServer((_, response) => response.end(pages.shift()));
    const url = `${upstream.origin}/page`;
    const { document } = await ingest(test.actors.member, input({ url }));
    await ingest(test.actors.member, input({ url }));
    await ingest(test.actors.member, input({ url }));
    const states = () => listVersions(db(), document.id).map(({ number, state }) => [number, state]);
    await expect.poll(states).toEqual([[1, "served"]]);
    expect(steps.indexVersion).toHaveBeenCalledTimes(1);
    expect(steps.readVersion).toHaveBeenCalledTimes(2);
    expect(getDocument(test.actors.member, document.id).lastRefresh?.outcome).toBe("unchanged");
  });

  it("sends validators, and a 304 changes nothing", async () => {
    upstream = await startMockServer((request, response) => {
      if (request.headers["if-none-match"] === '"v1"') response.writeHead(304).end();
      else
        response
          .writeHead(200, { etag: '"v1"', "last-modified": "Tue, 03 Feb 2026 12:00:00 GMT" })
          .end("Page.");
    });
    const url = `${upstream.origin}/page`;
    const { document } = await ingest(test.actors.member, input({ url }));
    const again = await ingest(test.actors.member, input({ url }));
    expect(again).toMatchObject({ done: true, document: { id: document.id } });
    expect(upstream.requests.at(-1)?.headers["if-modified-since"]).toBe("Tue, 03 Feb 2026 12:00:00 GMT");
    expect(steps.readVersion).toHaveBeenCalledTimes(1);
  });

  it("doesn't refresh another member's URL", async () => {
    upstream = await startMockServer((_, response) => response.end("Page."));
    const url = `${upstream.origin}/page`;
    const { document } = await ingest(test.actors.admin, input({ url }));
    const again = await ingest(test.actors.member, input({ url }));
    expect(again).toMatchObject({ done: true, document: { id: document.id, duplicate: true } });
    expect(upstream.requests).toHaveLength(1);
  });

  it("adds a URL again for people who can't see its document", async () => {
    upstream = await startMockServer((_, response) => response.end("Page."));
    const url = `${upstream.origin}/page`;
    const { member, viewer } = test.actors;
    const named = { visibility: "named", readers: ["usr_admin"] };
    const { document: own } = await ingest(member, input({ url, ...named }));
    const { document: same } = await ingest(member, input({ url, visibility: "named", readers: [] }));
    expect(same).toMatchObject({ id: own.id, duplicate: true });
    const more = await ingest(member, input({ url, visibility: "named", readers: ["usr_viewer"] }));
    const all = await ingest(member, input({ url }));
    expect(new Set([own.id, more.document.id, all.document.id]).size).toBe(3);
    expect(getDocument(viewer, all.document.id)).toMatchObject({ visibility: "organisation" });
    expect(() => getDocument(viewer, own.id)).toThrow("not found");
    const batch = await createBatch(member, BatchInput.parse({ urls: [url], ...named }));
    const { documents } = await listDocuments(member, { limit: 9, batch });
    expect(documents.map(({ id }) => id)).toEqual([own.id]);
  });

  it("refreshes another member's URL only if it failed", async () => {
    let status = 200;
    upstream = await startMockServer((_, response) => response.writeHead(status).end("Page."));
    const url = `${upstream.origin}/page`;
    const { admin, member } = test.actors;
    const { document } = await ingest(admin, input({ url }));
    expect(() => retryDocument(member, document.id)).toThrow(expect.objectContaining({ code: "forbidden" }));
    status = 404;
    await expect(ingest(admin, input({ url }))).rejects.toThrow("404");
    retryDocument(member, document.id);
    await expect.poll(() => upstream?.requests.length).toBe(3);
    // While the job is active, repeated requests wait for it.
    await expect.poll(() => count("jobs WHERE state IN ('scheduled', 'queued', 'running')")).toBe(0);
    expect(getDocument(admin, document.id)).toMatchObject({ status: "ready", progress: null });
    await expect(ingest(member, input({ url }))).rejects.toThrow("404");
    expect(upstream.requests).toHaveLength(4);
  });

  it("keeps the active version when a refresh fails, with the error", async () => {
    let status = 200;
    upstream = await startMockServer((_, response) => response.writeHead(status).end("Page."));
    const url = `${upstream.origin}/page`;
    await ingest(test.actors.member, input({ url }));
    status = 404;
    const { host } = new URL(upstream.origin);
    await expect(ingest(test.actors.member, input({ url }))).rejects.toThrow(
      `${host} returned HTTP 404 Not Found.`,
    );
    const [document] = (await listDocuments(test.actors.member, { category: "Uncategorized", limit: 1 }))
      .documents;
    expect(document).toMatchObject({
      ...{ status: "ready", content: "Page." },
      error: expect.stringContaining("404"),
    });
    status = 200;
    await ingest(test.actors.member, input({ url }));
    const [recovered] = (await listDocuments(test.actors.member, { category: "Uncategorized", limit: 1 }))
      .documents;
    expect(recovered).toMatchObject({ status: "ready", error: null });
  });

  it.each([
    ["a viewer", "viewer", { text: "x" }, "forbidden"],
    ["an unknown category", "member", { text: "x", category: "Nothing" }, "invalid"],
    ["unknown readers", "member", { text: "x", visibility: "named", readers: ["usr_nobody"] }, "invalid"],
  ] as const)("refuses %s", async (_, role, value, code) => {
    await expect(ingest(test.actors[role], input(value))).rejects.toMatchObject({ code });
    expect(count("documents")).toBe(0);
  });

  it.each([
    [{}, "Please enter text content"],
    [{ text: "  \n" }, "Please enter text content"],
    [{ url: " " }, "Please enter a URL"],
    [{ url: "", text: "" }, "Please enter text content"],
    [{ url: null, text: null }, "Please enter text content"],
    ["nothing", /expected object/],
    [{ url: "ftp://example.com/x" }, /complete address/],
    [{ url: "http://me:secret@example.com/" }, /user name and password/],
    [{ url: "https://example.com", text: "x" }, /not both/],
  ])("refuses %j with %s", (value, message) => {
    expect(IngestInput.safeParse(value).error?.issues.map((issue) => issue.message)).toEqual([
      typeof message === "string" ? message : expect.stringMatching(message),
    ]);
  });

  it.each([
    [{ text: "Words.", url: "", title: "" }, { text: "Words." }],
    [{ text: "Words.", url: null, title: null }, { text: "Words." }],
    [{ text: " ", url: "https://example.com/" }, { url: "https://example.com/" }],
  ])("ignores the blank field of %j", (value, expected) => {
    const { text, url, title } = IngestInput.parse(value);
    expect({ text, url, title }).toEqual({ text: undefined, url: undefined, title: undefined, ...expected });
  });

  it("removes invisible characters from a title, for every way to add it", () => {
    const title = "\u202eevil\u0000\n<script>";
    const url = "https://example.com/";
    for (const parsed of [
      IngestInput.parse({ text: "Words.", title }),
      IngestInput.parse({ url, title }),
      TextForm.parse({ text: "Words.", title }),
      UrlForm.parse({ url, title }),
    ])
      expect(parsed.title).toBe("evil <script>");
    expect(IngestInput.parse({ url, title: "\u202e\u200d\n" }).title).toBeUndefined();
    // Not normalized, which would take too long.
    const endless = "\u202e".repeat(5000);
    expect(IngestInput.safeParse({ url, title: endless }).error?.issues[0]?.message).toBe(
      "Use at most 200 characters",
    );
  });
});
