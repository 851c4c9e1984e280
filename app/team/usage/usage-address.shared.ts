import type { UsageQuery } from "./usage.schema";

// Addresses of the usage screen.

const DEFAULTS: Partial<UsageQuery> = { range: "30d", metric: "tokens", by: "model" };

export function usageAddress(query: Partial<UsageQuery>, path = "/usage"): string {
  const search = new URLSearchParams();
  // An empty id means "no group".
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== DEFAULTS[name as keyof UsageQuery]) search.set(name, value);
  return search.size > 0 ? `${path}?${search}` : path;
}

/** A group's usage alone: people by model, others by person. */
export function groupAddress(query: UsageQuery, key: string): string {
  const { by } = query;
  const next = by === "person" ? "model" : by === "tool" ? "tool" : "person";
  return usageAddress({ ...query, [by]: key, by: next });
}

/** A day by its hours. */
export const dayAddress = (query: Partial<UsageQuery>, day: string): string =>
  usageAddress({ ...query, range: "custom", from: day, to: day });
