import type { AuditScreenQuery } from "~/platform/audit/audit.schema";
import { MAX_DEPTH } from "~/platform/audit/audit.shared";

const STEP = 100;
const MAX_LIMIT = 500;

const DEFAULTS: Partial<Record<keyof AuditScreenQuery, unknown>> = {
  range: "7d",
  limit: STEP,
  action: "all",
  depth: 1,
};

export function auditAddress(query: Partial<AuditScreenQuery>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value && value !== DEFAULTS[name as keyof AuditScreenQuery]) search.set(name, String(value));
  return search.size > 0 ? `/audit?${search}` : "/audit";
}

export function entryAddress(query: Partial<AuditScreenQuery>, id: string): string {
  const address = auditAddress(query);
  return `${address}${address.includes("?") ? "&" : "?"}${new URLSearchParams({ dialog: "entry", id })}`;
}

interface More {
  next: string;
  /** Position that a partial search reached. */
  reached?: string | undefined;
  added: string;
}

/** Address of a longer page, or of the next one at the maximum length. */
export function moreAddress(query: AuditScreenQuery, { next, reached, added }: More): string {
  if (reached !== undefined && query.depth < MAX_DEPTH)
    return auditAddress({ ...query, depth: query.depth + 1 }) + added;
  if (reached === undefined && query.limit < MAX_LIMIT)
    return auditAddress({ ...query, limit: Math.min(MAX_LIMIT, query.limit + STEP) }) + added;
  return auditAddress({ ...query, cursor: next, depth: 1 });
}

export function isFiltered({ action = "all", range, ...query }: AuditScreenQuery): boolean {
  const { address, person, resource, search } = query;
  return (
    action !== "all" || !["7d", "all"].includes(range) || [address, person, resource, search].some(Boolean)
  );
}
