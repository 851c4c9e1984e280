import type { PluginScreenQuery } from "../plugins.schema";

const DEFAULTS: Partial<Record<keyof PluginScreenQuery, string>> = {
  tab: "marketplace",
  price: "all",
  sort: "featured",
};
const LISTS = ["tab", "search", "category", "price", "sort"] as const;

export function extensionsAddress(
  query: PluginScreenQuery,
  change: Partial<Record<keyof PluginScreenQuery, string | undefined>> = {},
): string {
  const search = new URLSearchParams();
  for (const name of LISTS) {
    const value = name in change ? change[name] : query[name];
    if (value && value !== DEFAULTS[name]) search.set(name, value);
  }
  for (const name of ["dialog", "id"] as const) {
    const value = change[name];
    if (value) search.set(name, value);
  }
  return search.size > 0 ? `/extensions?${search}` : "/extensions";
}
