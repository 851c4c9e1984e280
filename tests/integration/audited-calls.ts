import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { AuditAction } from "~/platform/catalogue/audit-actions";
import type { Ask, TestServer } from "../support/server";

/** Values that calls need from earlier calls, and leave for later ones, by name. */
export type Things = Record<string, string>;

export interface Row {
  /** The action of the one entry that the call writes. */
  action: AuditAction;
  ask?(things: Things): Ask & { path?: Record<string, string | undefined>; query?: string };
  /** Brings about what the call needs. */
  before?(things: Things, server: TestServer): Promise<unknown>;
  /** Keeps what later calls need. */
  after?(answer: Record<string, unknown>, things: Things): void;
}

const text = (title: string, more: object = {}) => ({ text: `All about ${title}.`, title, ...more });
const keep =
  (name: string, of = (answer: Record<string, unknown>): unknown => answer.id) =>
  (answer: Record<string, unknown>, things: Things) => {
    things[name] = String(of(answer));
  };
const idOf = (answer: Record<string, unknown>) => String(answer.id);

/** Asks, expects a success, and gives back the body. */
export async function send(server: TestServer, path: string, ask: Ask): Promise<Record<string, unknown>> {
  const response = await server.ask(path, { as: "admin", method: "POST", ...ask });
  const body = await response.text();
  expect({ path, status: response.status, body }).toMatchObject({ status: expect.toSatisfy((n) => n < 300) });
  return /^[{[]/.test(body) ? (JSON.parse(body) as Record<string, unknown>) : {};
}

function upload(name: string, content: string): Ask {
  const body = new FormData();
  body.append("file", new Blob([content]), name);
  return { body };
}

/** The address is refused, so its document fails. */
const REFUSED = "http://127.0.0.1:9/page";
async function failedBatch(server: TestServer): Promise<string> {
  const { id } = await send(server, "/api/rag/batches", { json: { urls: [REFUSED] } });
  await expect
    .poll(async () => {
      const response = await server.ask(`/api/rag/batches/${id}`, { as: "admin" });
      return ((await response.json()) as { counts: { failed: number } }).counts.failed;
    })
    .toBe(1);
  return String(id);
}

/** The password of the test people. */
const PASSWORD = "correct horse battery";
const persona = { name: "Analyst", systemPrompt: "x", defaultModel: "gpt-4o", mode: "default", tools: [] };
const MODELS = ["quarterdeck-offline", "llama3.2:3b"];

/** Files of chat messages. */
const ATTACHMENTS: Record<string, Row> = {
  "POST /api/attachments": {
    action: "attachment.added",
    ask: () => upload("note.txt", "A note."),
    after: (answer, things) => {
      const [file] = Object.values(answer) as { attachment: { id: string } }[];
      things.attachment = file?.attachment.id ?? "";
    },
  },
  "DELETE /api/attachments/{id}": {
    action: "attachment.removed",
    ask: ({ attachment }) => ({ method: "DELETE", path: { id: attachment } }),
  },
};

/** Every call of documents that changes something. */
const DOCUMENTS: Record<string, Row> = {
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
  "POST /api/rag/documents/bulk": {
    action: "document.updated",
    ask: ({ document }) => ({ json: { action: "move", ids: [document], category: "Finance" } }),
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
};

const CHAT: Record<string, Row> = {
  "POST /api/ai/folders": {
    action: "conversation_folder.created",
    ask: () => ({ json: { name: "Plans" } }),
    after: keep("folder"),
  },
  "PATCH /api/ai/folders/{folder}": {
    action: "conversation_folder.updated",
    ask: ({ folder }) => ({ method: "PATCH", path: { folder }, json: { name: "Rotas" } }),
  },
  "DELETE /api/ai/folders/{folder}": {
    action: "conversation_folder.deleted",
    ask: ({ folder }) => ({ method: "DELETE", path: { folder } }),
  },
  "POST /api/ai/comparisons": {
    action: "comparison.created",
    ask: () => ({ json: { prompt: "Hello", models: MODELS } }),
    after: keep("comparison"),
  },
  "POST /api/ai/comparisons/{comparison}/stop": {
    action: "comparison.stopped",
    ask: ({ comparison }) => ({ path: { comparison } }),
  },
  "DELETE /api/ai/comparisons/{comparison}": {
    action: "comparison.deleted",
    ask: ({ comparison }) => ({ method: "DELETE", path: { comparison } }),
  },
  "POST /api/personas/import": {
    action: "persona.created",
    ask: () => ({ json: { format: "persona/1", personas: [{ name: "Imported" }] } }),
  },
  "POST /api/prompts": {
    action: "prompt.created",
    ask: () => ({ json: { name: "Reply", text: "Answer {{name}}" } }),
    after: keep("prompt"),
  },
  "PATCH /api/prompts/{id}": {
    action: "prompt.updated",
    ask: ({ prompt: id }) => ({ method: "PATCH", path: { id }, json: { shared: true } }),
  },
  "DELETE /api/prompts/{id}": {
    action: "prompt.deleted",
    ask: ({ prompt: id }) => ({ method: "DELETE", path: { id } }),
  },
  "POST /api/personas": { action: "persona.created", ask: () => ({ json: persona }), after: keep("persona") },
  "PATCH /api/personas/{id}": {
    action: "persona.updated",
    ask: ({ persona: id }) => ({ method: "PATCH", path: { id }, json: { mode: "research" } }),
  },
  "DELETE /api/personas/{id}": {
    action: "persona.deleted",
    ask: ({ persona: id }) => ({ method: "DELETE", path: { id } }),
  },
};

const PLUGINS: Record<string, Row> = {
  "POST /api/plugins/{id}/install": {
    action: "extension.installed",
    ask: () => ({ path: { id: "calculator" } }),
  },
  "PATCH /api/plugins/{pluginId}/config": {
    action: "extension.disabled",
    ask: () => ({ method: "PATCH", path: { pluginId: "calculator" }, json: { enabled: false } }),
  },
  "PUT /api/plugins/{id}/rating": {
    action: "extension.rated",
    ask: () => ({ method: "PUT", path: { id: "calculator" }, json: { stars: 4 } }),
  },
  "DELETE /api/plugins/{id}/install": {
    action: "extension.uninstalled",
    ask: () => ({ method: "DELETE", path: { id: "calculator" } }),
  },
};

const MODELS_AND_KEYS: Record<string, Row> = {
  "POST /api/providers": {
    action: "provider.created",
    ask: ({ upstream }) => ({
      json: {
        provider: "local-ollama",
        displayName: "Second",
        enabled: false,
        config: { baseUrl: upstream },
      },
    }),
    after: keep("provider"),
  },
  "PATCH /api/providers/{id}": {
    action: "provider.updated",
    ask: ({ provider: id }) => ({ method: "PATCH", path: { id }, json: { displayName: "Other" } }),
  },
  "POST /api/providers/{id}/refresh": {
    action: "provider.updated",
    ask: ({ provider: id }) => ({ path: { id } }),
  },
  "POST /api/providers/{id}/move": {
    action: "provider.updated",
    ask: ({ provider: id }) => ({ path: { id }, json: { direction: "up" } }),
  },
  "DELETE /api/providers/{id}": {
    action: "provider.deleted",
    ask: ({ provider: id }) => ({ method: "DELETE", path: { id } }),
  },
  "POST /api/models/discover": { action: "models.discovered", ask: () => ({ json: { refresh: true } }) },
  "POST /api/models/managed": {
    action: "model.added",
    ask: () => ({ json: { id: "maker/open-one" } }),
  },
  "POST /api/models": {
    action: "model.added",
    ask: () => ({ json: { id: "own-model", name: "Own", provider: "local-ollama" } }),
  },
  "PATCH /api/models": {
    action: "model.updated",
    ask: () => ({ method: "PATCH", query: "id=own-model", json: { hidden: true } }),
  },
  "DELETE /api/models": {
    action: "model.removed",
    ask: () => ({ method: "DELETE", query: "id=own-model" }),
  },
  "POST /api/keys": {
    action: "api_key.created",
    ask: () => ({
      json: { provider: "custom", alias: "QUARTERDECK_KEY_LAB", origin: "https://lab.example" },
    }),
    after: keep("key"),
  },
  "PATCH /api/keys/{id}": {
    action: "api_key.updated",
    ask: ({ key: id }) => ({
      as: "owner",
      method: "PATCH",
      path: { id },
      json: { origin: "https://other.example" },
    }),
  },
  "DELETE /api/keys/{id}": {
    action: "api_key.deleted",
    ask: ({ key: id }) => ({ method: "DELETE", path: { id } }),
  },
};

const SETTINGS: Record<string, Row> = {
  "PUT /api/settings/routing": {
    action: "settings.updated",
    ask: () => ({ method: "PUT", json: { policy: "cheapest" } }),
  },
  "DELETE /api/settings/cache": { action: "cache.cleared", ask: () => ({ method: "DELETE" }) },
  "PUT /api/settings/advanced": {
    action: "settings.updated",
    ask: () => ({ method: "PUT", json: { ai: { temperature: 0.5 } } }),
  },
  "PUT /api/branding": {
    action: "settings.updated",
    ask: () => ({ method: "PUT", json: { appName: "Bridge" } }),
  },
  "PUT /api/user/settings": {
    action: "settings.updated",
    ask: () => ({ method: "PUT", json: { ragVectorMode: "sqlite" } }),
  },
  "PUT /api/system/egress/allow": {
    action: "egress.updated",
    ask: () => ({ as: "owner", method: "PUT", json: { allow: ["db.internal:5432"] } }),
  },
  "POST /api/system/backups": { action: "backup.requested", ask: () => ({ as: "owner", json: {} }) },
  "POST /api/system/check": { action: "check.requested", ask: () => ({ as: "owner", json: {} }) },
  "POST /api/system/backups/{id}/restore": {
    action: "restore.requested",
    // No backup: the restore fails and changes nothing.
    before: async (_, server) => {
      mkdirSync(join(server.dataDir, "backups"), { recursive: true });
      writeFileSync(join(server.dataDir, "backups", "broken.tar.gz"), "nothing");
    },
    ask: () => ({ as: "owner", path: { id: "broken.tar.gz" }, json: {} }),
  },
  "DELETE /api/system/backups/{id}": {
    action: "backup.deleted",
    ask: () => ({ as: "owner", method: "DELETE", path: { id: "broken.tar.gz" } }),
  },
  "PUT /api/tools/{name}/policy": {
    action: "tool.policy_changed",
    ask: () => ({ method: "PUT", path: { name: "web.fetch" }, json: { policy: "never" } }),
  },
  "POST /api/system/jobs/{id}/retry": {
    action: "job.retried",
    before: async (things, server) => {
      await failedBatch(server);
      const response = await server.ask("/api/system/jobs?state=failed", { as: "admin" });
      const jobs = (await response.json()) as { id: string; state: string }[];
      things.job = jobs.find(({ state }) => state === "failed")?.id ?? "";
    },
    ask: ({ job: id }) => ({ path: { id } }),
  },
};

const workflow = {
  name: "Digest",
  triggers: [{ id: "hook", type: "webhook" }],
  steps: [{ type: "log", config: { message: "x" } }],
};

/** Every call of workflows that changes something. */
const WORKFLOWS: Record<string, Row> = {
  "POST /api/workflows": {
    action: "workflow.created",
    ask: () => ({ json: workflow }),
    after: keep("workflow"),
  },
  "PUT /api/workflows/{id}": {
    action: "workflow.updated",
    ask: ({ workflow: id }) => ({
      method: "PUT",
      path: { id },
      json: { steps: [{ type: "delay", config: { seconds: 3600 } }] },
    }),
  },
  "PATCH /api/workflows/{id}": {
    action: "workflow.updated",
    ask: ({ workflow: id }) => ({ method: "PATCH", path: { id }, json: { name: "Daily digest" } }),
  },
  "POST /api/workflows/{id}/take-over": {
    action: "workflow.taken_over",
    ask: ({ workflow: id }) => ({ path: { id } }),
  },
  "POST /api/workflows/{id}/webhooks/{trigger}/rotate": {
    action: "workflow.webhook_rotated",
    ask: ({ workflow: id }) => ({ path: { id, trigger: "hook" } }),
  },
  "POST /api/workflows/run/{id}": {
    action: "workflow.executed",
    ask: ({ workflow: id }) => ({ path: { id }, json: {} }),
    after: keep("run"),
  },
  "POST /api/runs/{id}/cancel": {
    action: "workflow.run_cancelled",
    ask: ({ run: id }) => ({ path: { id } }),
  },
  "POST /api/runs/{id}/repeat": { action: "workflow.executed", ask: ({ run: id }) => ({ path: { id } }) },
  "POST /api/workflows/{id}/duplicate": {
    action: "workflow.created",
    ask: ({ workflow: id }) => ({ path: { id } }),
  },
  "POST /api/workflows/{id}/versions/{version}/restore": {
    action: "workflow.updated",
    ask: ({ workflow: id }) => ({ path: { id, version: "1" } }),
  },
  "DELETE /api/workflows/{id}": {
    action: "workflow.deleted",
    ask: ({ workflow: id }) => ({ method: "DELETE", path: { id } }),
  },
};

/** The last of them ends what the others need. */
const PEOPLE: Record<string, Row> = {
  "PATCH /api/auth/user": {
    action: "user.updated",
    ask: () => ({ method: "PATCH", json: { firstName: "Ada" } }),
  },
  "POST /api/tokens": {
    action: "api_token.created",
    ask: () => ({ json: { name: "Script" } }),
    after: keep("token"),
  },
  "DELETE /api/tokens/{id}": {
    action: "api_token.revoked",
    ask: ({ token: id }) => ({ method: "DELETE", path: { id } }),
  },
  "POST /api/members": {
    action: "member.invited",
    ask: () => ({ json: { email: "new@example.org", role: "viewer" } }),
    after: keep("member", ({ member }) => (member as { id: string }).id),
  },
  "POST /api/members/{id}/invitation": {
    action: "member.link_created",
    ask: ({ member: id }) => ({ path: { id } }),
  },
  "PATCH /api/members/{id}": {
    action: "member.role_changed",
    ask: ({ member: id }) => ({ method: "PATCH", path: { id }, json: { role: "member" } }),
  },
  "DELETE /api/members/{id}": {
    action: "member.removed",
    ask: ({ member: id }) => ({ method: "DELETE", path: { id } }),
  },
  "DELETE /api/system/errors": { action: "errors.cleared", ask: () => ({ method: "DELETE" }) },
  "POST /api/groups": {
    action: "group.created",
    ask: () => ({ json: { name: "Crew" } }),
    after: keep("group"),
  },
  "PATCH /api/groups/{id}": {
    action: "group.renamed",
    ask: ({ group: id }) => ({ method: "PATCH", path: { id }, json: { name: "Team" } }),
  },
  "PUT /api/groups/{id}/members/{userId}": {
    action: "group.members_changed",
    ask: ({ group: id }) => ({ method: "PUT", path: { id, userId: "usr_member" } }),
  },
  "DELETE /api/groups/{id}/members/{userId}": {
    action: "group.members_changed",
    ask: ({ group: id }) => ({ method: "DELETE", path: { id, userId: "usr_member" } }),
  },
  "DELETE /api/groups/{id}": {
    action: "group.deleted",
    ask: ({ group: id }) => ({ method: "DELETE", path: { id } }),
  },
  "POST /api/budgets": {
    action: "budget.created",
    ask: () => ({ json: { target: "organisation", unit: "money", period: "month", limit: 10 } }),
    after: keep("budget"),
  },
  "PUT /api/budgets/{id}": {
    action: "budget.updated",
    ask: ({ budget: id }) => ({ method: "PUT", path: { id }, json: { limit: 12.5 } }),
  },
  "POST /api/budgets/{id}/exception": {
    action: "budget.exception_granted",
    ask: ({ budget: id }) => ({ path: { id }, json: { amount: 5, reason: "Quarter end" } }),
  },
  "DELETE /api/budgets/{id}": {
    action: "budget.deleted",
    ask: ({ budget: id }) => ({ method: "DELETE", path: { id } }),
  },
  "POST /api/audit/anchors": {
    action: "audit.anchored",
    before: (_, server) =>
      send(server, "/api/settings/advanced", {
        method: "PUT",
        json: { security: { anchorEmail: "audit@example.org" } },
      }),
    ask: () => ({ as: "owner" }),
  },
  "POST /api/audit/checkpoints": {
    action: "audit.sealed",
    ask: () => ({ as: "owner", json: { before: "2099-01-01" } }),
    after: keep("checkpoint", ({ upToSeq }) => upToSeq),
  },
  "DELETE /api/audit/checkpoints/{upTo}": {
    action: "audit.dropped",
    ask: ({ checkpoint: upTo }) => ({ as: "owner", method: "DELETE", path: { upTo } }),
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
  "DELETE /api/auth/sessions/{id}": {
    action: "user.logout",
    before: async (things, server) => {
      const cookie = await server.signIn("admin@example.org", PASSWORD);
      const response = await server.ask("/api/auth/sessions", { headers: { cookie } });
      const sessions = (await response.json()) as { id: string; current: boolean }[];
      things.session = sessions.find(({ current }) => current)?.id ?? "";
    },
    ask: ({ session: id }) => ({ method: "DELETE", path: { id } }),
  },
  "PUT /api/auth/password": {
    action: "user.password_changed",
    ask: () => ({
      as: "viewer",
      method: "PUT",
      json: { currentPassword: PASSWORD, newPassword: "another horse battery" },
    }),
  },
  "POST /api/logout": { action: "user.logout" },
  "DELETE /api/auth/sessions": {
    action: "user.logout",
    ask: () => ({ as: "owner", method: "DELETE" }),
  },
};

/** Calls that change something, in an order in which each finds what it needs. */
export const CHANGES: Record<string, Row> = {
  ...DOCUMENTS,
  ...CHAT,
  ...ATTACHMENTS,
  ...PLUGINS,
  ...MODELS_AND_KEYS,
  ...SETTINGS,
  ...WORKFLOWS,
  ...PEOPLE,
};
