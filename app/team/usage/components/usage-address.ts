import type { UsageQuery } from "../usage.schema";

const DEFAULTS: Partial<UsageQuery> = { range: "30d", metric: "tokens", by: "model" };

/** Omits defaults. */
function usageParameters(query: Partial<UsageQuery>): URLSearchParams {
  const search = new URLSearchParams();
  // An empty id means "no group".
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== DEFAULTS[name as keyof UsageQuery]) search.set(name, value);
  return search;
}

export function usageAddress(query: Partial<UsageQuery>, path = "/usage"): string {
  const search = usageParameters(query);
  return search.size > 0 ? `${path}?${search}` : path;
}
