/** Who asks, in the order of each row. */
export const ASKERS = ["anonymous", "viewer", "member", "admin", "owner"] as const;

interface Row {
  /** The status for each asker. */
  expect: readonly [anonymous: number, viewer: number, member: number, admin: number, owner: number];
  json?: unknown;
  form?: Record<string, string>;
  /** What to ask for where the pattern itself can't be; `{…}` becomes an id that doesn't exist. */
  path?: string;
}

/** Open to everyone. */
const open: Row = { expect: [200, 200, 200, 200, 200] };
/** Read by everyone who is signed in. */
const signedIn: Row = { expect: [401, 200, 200, 200, 200] };

/**
 * The expected status of every route for every role. A call that changes something is sent without what it needs: 400
 * or 404 then says that the asker was let through, and nothing was changed.
 */
export const TABLE: Record<string, Row> = {
  "GET /": open,
  "GET /api/openapi.json": open,
  "GET /api/health": open,
  "GET /api/audit": signedIn,
  "GET /api/*": { path: "/api/nothing", expect: [404, 404, 404, 404, 404] },
};
