/** Who asks, in the order of each row. */
export const ASKERS = ["anonymous", "viewer", "member", "admin", "owner"] as const;

interface Row {
  /** The status for each asker. */
  expect: readonly [anonymous: number, viewer: number, member: number, admin: number, owner: number];
  json?: unknown;
  form?: Record<string, string>;
  /** What to ask for where the pattern itself can't be; `{…}` becomes an id that doesn't exist. */
  path?: string;
  /** A stream that goes on until the asker leaves. */
  endless?: true;
}

/** Open to everyone. */
const open: Row = { expect: [200, 200, 200, 200, 200] };
/** Read by everyone who is signed in. */
const signedIn: Row = { expect: [401, 200, 200, 200, 200] };
/** A screen: who isn't signed in goes to the sign-in. */
const screen: Row = { expect: [302, 200, 200, 200, 200] };
/** A call that admins may make, with a body that misses what it needs. */
const adminsInput: Row = { json: {}, expect: [401, 403, 403, 400, 400] };
/** A call that admins may make, on something that doesn't exist. */
const adminsItem: Row = { expect: [401, 403, 403, 404, 404] };
/** A screen that admins may open. */
const adminsScreen: Row = { expect: [302, 403, 403, 200, 200] };
/** A form that admins may send, without anything in it. */
const adminsForm: Row = { form: {}, expect: [302, 403, 403, 400, 400] };
/** A call of the chat, on a conversation that doesn't exist. */
const chatItem: Row = { expect: [401, 403, 404, 404, 404] };
/** Something that everyone may read, which doesn't exist. */
const readItem: Row = { expect: [401, 404, 404, 404, 404] };
/** Something that members may change, which doesn't exist. */
const writeItem: Row = { expect: [401, 403, 404, 404, 404] };
/** For programs with a token alone: a session opens nothing. */
const programs: Row = { expect: [401, 401, 401, 401, 401] };
const missing: Row = { expect: [404, 404, 404, 404, 404] };

/**
 * The expected status of every route for every role. A call that changes something is sent without what it needs: 400
 * or 404 then says that the asker was let through, and nothing was changed.
 */
export const TABLE: Record<string, Row> = {
  "GET /": open,
  "GET /chat/{conversationId}?": { ...screen, path: "/chat" },
  "POST /chat/{conversationId}?": { form: {}, path: "/chat", expect: [302, 403, 400, 400, 400] },
  "GET /chat/{conversationId}/live": { expect: [302, 403, 404, 404, 404] },
  "GET /compare": screen,
  "POST /compare": { form: {}, expect: [302, 403, 400, 400, 400] },
  "GET /compare/{comparisonId}": { expect: [302, 403, 404, 404, 404] },
  "POST /compare/{comparisonId}": { form: {}, expect: [302, 403, 400, 400, 400] },
  "GET /compare/{comparisonId}/live": { expect: [302, 403, 404, 404, 404] },
  "GET /docs/api": open,
  "GET /workflows": screen,
  "GET /workflows/builder": { expect: [302, 403, 200, 200, 200] },
  "POST /workflows/builder": { form: { intent: "save" }, expect: [302, 403, 400, 400, 400] },
  "GET /extensions": screen,
  "GET /personas": screen,
  "POST /personas": { form: { intent: "create" }, expect: [302, 403, 400, 400, 400] },
  "GET /rag": screen,
  "POST /rag": { form: {}, expect: [302, 403, 400, 400, 400] },
  "GET /rag/upload": screen,
  "POST /rag/upload": { expect: [302, 403, 415, 415, 415] },
  "GET /rag/check": screen,
  "POST /rag/check": { form: {}, expect: [302, 403, 400, 400, 400] },
  "GET /rag/check/export": screen,
  "GET /rag/changes": { expect: [302, 302, 302, 302, 302] },
  "POST /rag/changes": { form: {}, expect: [302, 403, 400, 400, 400] },
  "GET /rag/categories": screen,
  "POST /rag/categories": { form: {}, expect: [302, 403, 400, 400, 400] },
  "GET /rag/{documentId}": { expect: [302, 404, 404, 404, 404] },
  "POST /rag/{documentId}": { form: {}, expect: [302, 403, 400, 400, 400] },
  "GET /audit": screen,
  "POST /audit": { form: {}, expect: [302, 403, 403, 403, 400] },
  "GET /search": screen,
  "GET /settings": { expect: [302, 302, 302, 302, 302] },
  "GET /settings/branding": adminsScreen,
  "POST /settings/branding": adminsForm,
  "GET /settings/providers": adminsScreen,
  "POST /settings/providers": adminsForm,
  "GET /settings/providers/models": adminsScreen,
  "POST /settings/providers/models": adminsForm,
  "GET /settings/providers/catalogue": adminsScreen,
  "GET /settings/advanced": adminsScreen,
  "POST /settings/advanced": adminsForm,
  "GET /settings/profile": screen,
  "POST /settings/profile": { form: {}, expect: [302, 400, 400, 400, 400] },
  "GET /settings/environment": adminsScreen,
  "GET /settings/keys": adminsScreen,
  "POST /settings/keys": adminsForm,
  "GET /settings/members": adminsScreen,
  "POST /settings/members": adminsForm,
  "GET /settings/system": adminsScreen,
  "POST /settings/system": { form: {}, expect: [302, 403, 403, 400, 400] },
  "GET /providers": { expect: [302, 302, 302, 302, 302] },
  "GET /model": { expect: [302, 302, 302, 302, 302] },
  "POST /model": { form: {}, expect: [302, 400, 400, 400, 400] },
  "GET /theme": { expect: [302, 302, 302, 302, 302] },
  "POST /theme": { form: {}, expect: [302, 400, 400, 400, 400] },
  "GET /login": { expect: [200, 303, 303, 303, 303] },
  // Whoever is signed in needs no form.
  "POST /login": { form: {}, expect: [400, 303, 303, 303, 303] },
  "GET /logout": { expect: [302, 302, 302, 302, 302] },
  "GET /setup": { expect: [410, 410, 410, 410, 410] },
  "POST /setup": { form: {}, expect: [400, 400, 400, 400, 400] },
  "GET /waiting": open,
  "GET /invite/{token}": { expect: [410, 410, 410, 410, 410] },
  "POST /invite/{token}": { form: {}, expect: [400, 400, 400, 400, 400] },
  "GET /*": { ...missing, path: "/nothing" },
  "POST /*": { ...missing, path: "/nothing", form: {} },

  "POST /api/ai/chat": { json: {}, expect: [401, 403, 400, 400, 400] },
  "GET /api/ai/chat/{conversation}/stream": chatItem,
  "POST /api/ai/chat/{conversation}/stop": chatItem,
  "POST /api/ai/chat/{conversation}/regenerate": { ...chatItem, json: {} },
  "GET /api/ai/conversations": { expect: [401, 403, 200, 200, 200] },
  "GET /api/ai/conversations/{conversation}": chatItem,
  "PATCH /api/ai/conversations/{conversation}": { ...chatItem, json: { sharingAllowed: true } },
  "GET /api/ai/comparisons": { expect: [401, 403, 200, 200, 200] },
  "POST /api/ai/comparisons": { json: {}, expect: [401, 403, 400, 400, 400] },
  "GET /api/ai/comparisons/{comparison}": chatItem,
  "DELETE /api/ai/comparisons/{comparison}": chatItem,
  "POST /api/ai/comparisons/{comparison}/stop": chatItem,
  "POST /api/ai/comparisons/{comparison}/continue": { ...chatItem, json: { conversationId: "con_none" } },
  "GET /api/ai/comparisons/{comparison}/stream": chatItem,

  "GET /api/openapi.json": open,
  "GET /api/health": open,
  "GET /api/login": { expect: [302, 302, 302, 302, 302] },
  "GET /api/auth/callback": { expect: [302, 302, 302, 302, 302] },
  "GET /api/auth/user": signedIn,
  "PATCH /api/auth/user": { json: { firstName: 5 }, expect: [401, 400, 400, 400, 400] },
  // An address that is refused: a complete one would remove whoever asks.
  "DELETE /api/auth/user": {
    path: `/api/auth/user?documents=${"x".repeat(65)}`,
    expect: [401, 400, 400, 400, 400],
  },
  "GET /api/auth/user/owned": signedIn,
  "PUT /api/auth/password": { json: {}, expect: [401, 400, 400, 400, 400] },
  "GET /api/auth/sessions": signedIn,
  "DELETE /api/auth/sessions/{id}": { expect: [401, 404, 404, 404, 404] },
  "GET /api/tokens": signedIn,
  "POST /api/tokens": { json: {}, expect: [401, 400, 400, 400, 400] },
  "GET /api/tokens/{id}": { expect: [401, 404, 404, 404, 404] },
  "DELETE /api/tokens/{id}": { expect: [401, 404, 404, 404, 404] },
  "GET /api/members": { expect: [401, 403, 403, 200, 200] },
  "POST /api/members": adminsInput,
  "GET /api/members/{id}": adminsItem,
  // Nobody who isn't there owns anything.
  "GET /api/members/{id}/owned": { expect: [401, 403, 403, 200, 200] },
  "POST /api/members/{id}/suspend": adminsItem,
  "POST /api/members/{id}/resume": adminsItem,
  "PATCH /api/members/{id}": { ...adminsItem, json: { role: "viewer" } },
  "DELETE /api/members/{id}": adminsItem,
  "POST /api/members/{id}/admit": { ...adminsItem, json: {} },
  "POST /api/members/{id}/decline": adminsItem,
  "POST /api/members/{id}/invitation": adminsItem,
  "GET /api/groups": signedIn,
  "POST /api/groups": adminsInput,
  "GET /api/groups/{id}": readItem,
  "PATCH /api/groups/{id}": { ...adminsItem, json: { name: "Other" } },
  "DELETE /api/groups/{id}": adminsItem,
  "PUT /api/groups/{id}/members/{userId}": adminsItem,
  "DELETE /api/groups/{id}/members/{userId}": adminsItem,
  "GET /api/organisation": signedIn,
  "PUT /api/organisation": { ...adminsInput, json: { timeZone: "Nowhere" } },
  "GET /api/audit": signedIn,
  "GET /api/dashboard/providers": signedIn,
  "GET /api/ai/models": signedIn,
  "GET /api/ai/catalogue": signedIn,
  "GET /api/models": { ...adminsItem, path: "/api/models?id=nobody" },
  "POST /api/models": adminsInput,
  "PATCH /api/models": { ...adminsItem, path: "/api/models?id=nobody", json: { hidden: true } },
  "DELETE /api/models": { ...adminsItem, path: "/api/models?id=nobody" },
  "GET /api/models/managed": { expect: [401, 403, 403, 200, 200] },
  "POST /api/models/managed": adminsInput,
  // Nothing that would ask the hubs.
  "POST /api/models/discover": { ...adminsInput, json: { again: "yes" } },
  "GET /api/settings/routing": { expect: [401, 403, 403, 200, 200] },
  "PUT /api/settings/routing": adminsInput,
  "GET /api/settings/advanced": { expect: [401, 403, 403, 200, 200] },
  "GET /api/settings/export": { expect: [401, 403, 403, 200, 200] },
  "PUT /api/settings/advanced": { ...adminsInput, json: { ai: { temperature: 9 } } },
  "GET /api/branding": open,
  "PUT /api/branding": { ...adminsInput, json: { borderRadius: 99 } },
  "GET /api/events": { ...signedIn, path: "/api/events?topics=documents", endless: true },
  "GET /api/system/jobs": { expect: [401, 403, 403, 200, 200] },
  "GET /api/system/jobs/kinds": { expect: [401, 403, 403, 200, 200] },
  "POST /api/system/jobs/{id}/retry": adminsItem,
  "POST /api/system/jobs/{id}/cancel": adminsItem,
  "GET /api/system/egress": { expect: [401, 403, 403, 403, 200] },
  "GET /api/system/egress/allow": { expect: [401, 403, 403, 403, 200] },
  "PUT /api/system/egress/allow": { json: { allow: ["http://x"] }, expect: [401, 403, 403, 403, 400] },
  "GET /api/system/env-status": { expect: [401, 403, 403, 200, 200] },
  "GET /api/providers": { expect: [401, 403, 403, 200, 200] },
  "POST /api/providers": adminsInput,
  "GET /api/providers/{id}": adminsItem,
  "PATCH /api/providers/{id}": { ...adminsItem, json: { enabled: true } },
  "DELETE /api/providers/{id}": adminsItem,
  "POST /api/providers/{id}/test": adminsItem,
  "POST /api/providers/{id}/refresh": adminsItem,
  "POST /api/providers/{id}/move": { ...adminsItem, json: { direction: "up" } },
  "GET /api/offered-providers": { expect: [401, 403, 403, 200, 200] },
  "GET /api/keys": { expect: [401, 403, 403, 200, 200] },
  "POST /api/keys": adminsInput,
  "GET /api/keys/{id}": adminsItem,
  // It changes where the key may be sent.
  "PATCH /api/keys/{id}": { json: { origin: "https://example.com" }, expect: [401, 403, 403, 403, 404] },
  "DELETE /api/keys/{id}": adminsItem,
  "GET /api/user/settings": signedIn,
  "PUT /api/user/settings": { json: { preferredModel: 5 }, expect: [401, 400, 400, 400, 400] },
  "GET /api/tools": signedIn,
  "PUT /api/tools/{name}/policy": { ...adminsItem, json: { policy: "never" } },
  "GET /api/personas": signedIn,
  "POST /api/personas": { json: {}, expect: [401, 403, 400, 400, 400] },
  "GET /api/personas/{id}": { expect: [401, 404, 404, 404, 404] },
  "PATCH /api/personas/{id}": { json: { mode: "research" }, expect: [401, 403, 404, 404, 404] },
  "DELETE /api/personas/{id}": { expect: [401, 403, 404, 404, 404] },
  "GET /api/rag/documents": signedIn,
  "POST /api/rag/documents/bulk": {
    json: { action: "delete", ids: ["doc_none"] },
    expect: [401, 403, 404, 404, 404],
  },
  "GET /api/rag/documents/{id}": readItem,
  "PATCH /api/rag/documents/{id}": { ...writeItem, json: { name: "Other" } },
  "DELETE /api/rag/documents/{id}": writeItem,
  "POST /api/rag/documents/{id}/restore": writeItem,
  "POST /api/rag/documents/{id}/move": { ...writeItem, json: { direction: "up" } },
  "GET /api/rag/documents/{id}/text": readItem,
  "GET /api/rag/documents/{id}/chunks": readItem,
  "GET /api/rag/documents/{id}/versions": readItem,
  "POST /api/rag/documents/{id}/versions": { expect: [401, 403, 415, 415, 415] },
  "POST /api/rag/documents/{id}/keep": writeItem,
  "GET /api/rag/documents/{id}/original": readItem,
  "POST /api/rag/reorder": { json: {}, expect: [401, 403, 400, 400, 400] },
  "GET /api/rag/categories": signedIn,
  "POST /api/rag/categories": { json: {}, expect: [401, 403, 400, 400, 400] },
  "PATCH /api/rag/categories/{id}": { ...writeItem, json: { name: "Other" } },
  "DELETE /api/rag/categories/{id}": writeItem,
  "POST /api/rag/search": { json: {}, expect: [401, 400, 400, 400, 400] },
  "GET /api/rag/stats": signedIn,
  "GET /api/rag/status": signedIn,
  "GET /api/rag/embedding-offer": { expect: [401, 403, 403, 200, 200] },
  "POST /api/rag/embedding-offer": adminsInput,
  // Without any document there is nothing to make an index of.
  "POST /api/rag/rebuild": { expect: [401, 403, 403, 409, 409] },
  "POST /api/rag/indexes/{id}/switch": adminsItem,
  "POST /api/rag/indexes/{id}/cancel": adminsItem,
  "GET /api/rag/check/questions": signedIn,
  "POST /api/rag/check/questions": { json: {}, expect: [401, 403, 400, 400, 400] },
  "GET /api/rag/check/questions/{id}": readItem,
  "PATCH /api/rag/check/questions/{id}": { ...writeItem, json: { question: "Other?" } },
  "DELETE /api/rag/check/questions/{id}": writeItem,
  "GET /api/rag/check/runs": signedIn,
  // There is no question to check with.
  "POST /api/rag/check/runs": { expect: [401, 403, 409, 409, 409] },
  "GET /api/rag/check/runs/{id}": readItem,
  "POST /api/rag/ingest": { json: {}, expect: [401, 403, 400, 400, 400] },
  "POST /api/rag/upload": { expect: [401, 403, 415, 415, 415] },
  "GET /api/rag/batches": { expect: [401, 403, 200, 200, 200] },
  "POST /api/rag/batches/{id}/dismiss": { expect: [401, 403, 404, 404, 404] },
  "POST /api/rag/batches": { json: {}, expect: [401, 403, 400, 400, 400] },
  "GET /api/rag/batches/{id}": { expect: [401, 403, 404, 404, 404] },
  "POST /api/rag/batches/{id}/cancel": { expect: [401, 403, 404, 404, 404] },
  "POST /api/rag/batches/{id}/retry": { expect: [401, 403, 404, 404, 404] },
  "POST /api/rag/documents/{id}/retry": { expect: [401, 403, 404, 404, 404] },
  "POST /api/rag/documents/{id}/cancel": { expect: [401, 403, 404, 404, 404] },
  "GET /api/*": { ...missing, path: "/api/nothing" },
  "POST /api/*": { ...missing, path: "/api/nothing", json: {} },

  "GET /v1/models": programs,
  "GET /v1/models/{id}": programs,
  "POST /v1/chat/completions": { ...programs, json: {} },
  "POST /v1/responses": { ...programs, json: {} },
  "POST /v1/embeddings": { ...programs, json: {} },
  "POST /v1/messages": { ...programs, json: {} },
  "GET /v1/messages/*": { ...programs, path: "/v1/messages/nothing" },
  "POST /v1/messages/*": { ...programs, path: "/v1/messages/nothing", json: {} },
  "GET /v1/*": { ...programs, path: "/v1/nothing" },
  "POST /v1/*": { ...programs, path: "/v1/nothing", json: {} },

  // Last, since each ends the asker's session.
  "DELETE /api/auth/sessions": { expect: [401, 204, 204, 204, 204] },
  "POST /api/logout": { expect: [204, 204, 204, 204, 204] },
  "POST /logout": { form: {}, expect: [204, 204, 204, 204, 204] },
};
