import { afterAll, beforeAll, expect, it } from "vitest";
import type { AuditAction } from "~/features/index.schema";
import { type Ask, startServer, type TestServer } from "../support/server";
import { TABLE } from "./route-roles";

/** What a call needs that something did before it, and what it leaves for those after it. */
interface Things {
  document: string;
  category: string;
  question: string;
  batch: string;
  group: string;
}

interface Row {
  /** The action of the one entry that the call writes. */
  action: AuditAction;
  ask?(things: Things): Ask & { path?: Record<string, string> };
  /** Brings about what the call needs. */
  before?(things: Things): Promise<unknown>;
  /** Keeps what later calls need. */
  after?(answer: Record<string, unknown>, things: Things): void;
}

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const text = (title: string, more: object = {}) => ({ text: `All about ${title}.`, title, ...more });

async function send(path: string, ask: Ask): Promise<Record<string, unknown>> {
  const response = await server.ask(path, { as: "admin", method: "POST", ...ask });
  const body = await response.text();
  expect({ path, status: response.status, body }).toMatchObject({ status: expect.toSatisfy((n) => n < 300) });
  return body.startsWith("{") ? (JSON.parse(body) as Record<string, unknown>) : {};
}
const idOf = (answer: Record<string, unknown>) => String(answer.id);

async function actions(): Promise<string[]> {
  const answer = await server.ask("/api/audit?limit=500", { as: "owner" });
  return ((await answer.json()) as { action: string }[]).map(({ action }) => action);
}

function upload(name: string, content: string): Ask {
  const body = new FormData();
  body.append("file", new Blob([content]), name);
  return { body };
}

/** Nobody reads it: the address is refused, so what comes of it has failed. */
const REFUSED = "http://127.0.0.1:9/page";
const failed = async () => {
  const response = await server.ask("/api/rag/batches", { as: "admin", json: { urls: [REFUSED] } });
  const { id } = (await response.json()) as { id: string };
  await expect
    .poll(async () => {
      const batch = (await (await server.ask(`/api/rag/batches/${id}`, { as: "admin" })).json()) as {
        counts: { failed: number };
      };
      return batch.counts.failed;
    })
    .toBe(1);
  return id;
};

/** Every call of documents, groups and the organisation that changes something, in an order in which each finds what it needs. */
const CHANGES: Record<string, Row> = {
  "POST /api/rag/ingest": {
    action: "document.queued",
    ask: () => ({ json: text("One") }),
    after: (answer, things) => {
      things.document = idOf(answer);
    },
  },
  "POST /api/rag/upload": { action: "document.queued", ask: () => upload("two.txt", "The second.") },
  "PATCH /api/rag/documents/{id}": {
    action: "document.updated",
    ask: ({ document }) => ({ method: "PATCH", path: { id: document }, json: { name: "First" } }),
  },
  "POST /api/rag/documents/{id}/move": {
    action: "document.reordered",
    ask: ({ document }) => ({ path: { id: document }, json: { direction: "down" } }),
  },
  "POST /api/rag/reorder": {
    action: "document.reordered",
    ask: ({ document }) => ({ json: { category: "Uncategorized", order: [document] } }),
  },
  "POST /api/rag/documents/{id}/versions": {
    action: "document.version_queued",
    ask: ({ document }) => ({ path: { id: document }, json: { text: "All about One and more." } }),
  },
  "DELETE /api/rag/documents/{id}": {
    action: "document.deleted",
    ask: ({ document }) => ({ method: "DELETE", path: { id: document } }),
  },
  "POST /api/rag/documents/{id}/restore": {
    action: "document.restored",
    ask: ({ document }) => ({ path: { id: document } }),
  },
  "POST /api/rag/categories": {
    action: "category.created",
    ask: () => ({ json: { name: "Plans" } }),
    after: (answer, things) => {
      things.category = idOf(answer);
    },
  },
  "PATCH /api/rag/categories/{id}": {
    action: "category.updated",
    ask: ({ category }) => ({ method: "PATCH", path: { id: category }, json: { name: "Ideas" } }),
  },
  "DELETE /api/rag/categories/{id}": {
    action: "category.deleted",
    ask: ({ category }) => ({ method: "DELETE", path: { id: category } }),
  },
  "POST /api/rag/batches": {
    action: "batch.created",
    ask: () => ({ json: { urls: [REFUSED] } }),
    after: (answer, things) => {
      things.batch = idOf(answer);
    },
  },
  "POST /api/rag/batches/{id}/cancel": {
    action: "batch.cancelled",
    ask: ({ batch }) => ({ path: { id: batch } }),
  },
  "POST /api/rag/batches/{id}/retry": {
    action: "document.retried",
    before: async (things) => {
      things.batch = await failed();
    },
    ask: ({ batch }) => ({ path: { id: batch } }),
  },
  "POST /api/rag/batches/{id}/dismiss": {
    action: "batch.dismissed",
    before: async (things) => {
      things.batch = await failed();
    },
    ask: ({ batch }) => ({ path: { id: batch } }),
  },
  "POST /api/rag/check/questions": {
    action: "retrieval_question.created",
    ask: ({ document }) => ({
      json: { question: "What is one?", passages: [{ documentId: document, quote: "All about One" }] },
    }),
    after: (answer, things) => {
      things.question = idOf(answer);
    },
  },
  "PATCH /api/rag/check/questions/{id}": {
    action: "retrieval_question.updated",
    ask: ({ question }) => ({ method: "PATCH", path: { id: question }, json: { question: "One?" } }),
  },
  "POST /api/rag/check/runs": { action: "retrieval_check.started" },
  "DELETE /api/rag/check/questions/{id}": {
    action: "retrieval_question.deleted",
    ask: ({ question }) => ({ method: "DELETE", path: { id: question } }),
  },
  "POST /api/groups": {
    action: "group.created",
    ask: () => ({ json: { name: "Crew" } }),
    after: (answer, things) => {
      things.group = idOf(answer);
    },
  },
  "PATCH /api/groups/{id}": {
    action: "group.renamed",
    ask: ({ group }) => ({ method: "PATCH", path: { id: group }, json: { name: "Team" } }),
  },
  "PUT /api/groups/{id}/members/{userId}": {
    action: "group.members_changed",
    ask: ({ group }) => ({ method: "PUT", path: { id: group, userId: "usr_member" } }),
  },
  "DELETE /api/groups/{id}/members/{userId}": {
    action: "group.members_changed",
    ask: ({ group }) => ({ method: "DELETE", path: { id: group, userId: "usr_member" } }),
  },
  "DELETE /api/groups/{id}": {
    action: "group.deleted",
    ask: ({ group }) => ({ method: "DELETE", path: { id: group } }),
  },
  "PUT /api/organisation": {
    action: "settings.updated",
    ask: () => ({ method: "PUT", json: { teamTitle: "Bridge" } }),
  },
  "POST /api/members/{id}/suspend": {
    action: "member.suspended",
    ask: () => ({ path: { id: "usr_member" } }),
  },
  "POST /api/members/{id}/resume": {
    action: "member.resumed",
    ask: () => ({ path: { id: "usr_member" } }),
  },
};

/** Calls that change nothing, and those that other tests hold to their entries, with where. */
const ELSEWHERE: Record<string, string> = {
  "POST /api/rag/search": "reads",
  "POST /api/rag/documents/{id}/retry": "work.service.test.ts",
  "POST /api/rag/documents/{id}/cancel": "work.service.test.ts",
  "POST /api/rag/documents/{id}/keep": "document-versions.service.test.ts",
  "POST /api/rag/embedding-offer": "embedding-offer.service.test.ts",
  "POST /api/rag/rebuild": "indexing/builder.test.ts",
  "POST /api/rag/indexes/{id}/switch": "indexing/builder.test.ts",
  "POST /api/rag/indexes/{id}/cancel": "indexing/builder.test.ts",
};

it("every call of documents, groups and the organisation that changes something is held to its entry", () => {
  const unsafe = Object.keys(TABLE).filter((call) =>
    /^(POST|PUT|PATCH|DELETE) \/api\/(rag|groups|organisation|members\/\{id\}\/(suspend|resume))/.test(call),
  );
  expect([...Object.keys(CHANGES), ...Object.keys(ELSEWHERE)].sort()).toEqual(unsafe.sort());
});

const things: Things = { document: "", category: "", question: "", batch: "", group: "" };

it.each(Object.entries(CHANGES))("%s writes its entry", async (call, row) => {
  await row.before?.(things);
  const before = (await actions()).filter((action) => action === row.action).length;
  const { path, ...ask } = row.ask?.(things) ?? {};
  const address = (call.split(" ")[1] ?? "").replace(/\{(\w+)\}/g, (_, name: string) => path?.[name] ?? "");
  const answer = await send(address, ask);
  row.after?.(answer, things);
  const after = (await actions()).filter((action) => action === row.action).length;
  expect({ action: row.action, written: after - before }).toEqual({ action: row.action, written: 1 });
});
