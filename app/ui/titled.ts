import type { MetaFunction } from "@remix-run/react";

/** The application's name as the root's loader knows it; empty where that failed. */
export function appNameOf(matches: readonly { id: string; data: unknown }[]): string {
  const root = matches.find((match) => match.id === "root")?.data;
  return root && typeof root === "object" && "appName" in root && typeof root.appName === "string"
    ? root.appName
    : "";
}

/** A screen's `meta`: the parts of its title, the most specific first, then the application's name. */
export function titled(...parts: string[]): MetaFunction {
  return ({ matches }) => [{ title: [...parts, appNameOf(matches)].filter(Boolean).join(" · ") }];
}
