import type { AuditScreenQuery } from "../audit.schema";

const STEP = 100;
const MOST = 500;

const DEFAULTS: Partial<Record<keyof AuditScreenQuery, unknown>> = {
  range: "7d",
  limit: STEP,
  action: "all",
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

/** Address of a longer page, or of the next page if this one is full. */
export function moreAddress(query: AuditScreenQuery, next: string, reached?: string): string {
  return query.limit < MOST && reached === undefined
    ? auditAddress({ ...query, limit: Math.min(MOST, query.limit + STEP) })
    : auditAddress({ ...query, cursor: next });
}

export function isFiltered({ action = "all", range, ...query }: AuditScreenQuery): boolean {
  const { address, person, resource, search } = query;
  return action !== "all" || range !== "7d" || [address, person, resource, search].some(Boolean);
}
