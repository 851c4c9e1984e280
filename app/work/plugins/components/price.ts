import type { Plugin } from "../plugins.schema";

export function priceOf({ pricing, price }: Pick<Plugin, "pricing" | "price">): string {
  if (pricing === "premium") return `$${price ?? 0}`;
  return pricing === "enterprise" ? "Enterprise" : "Free";
}
