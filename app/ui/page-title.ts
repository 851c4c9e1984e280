import type { MetaFunction } from "@remix-run/react";

/** Empty if the root's loader failed. */
export function appNameOf(matches: readonly { id: string; data: unknown }[]): string {
  const root = matches.find((match) => match.id === "root")?.data;
  return root && typeof root === "object" && "appName" in root && typeof root.appName === "string"
    ? root.appName
    : "";
}

export function pageTitle(...parts: string[]): MetaFunction {
  return ({ matches }) => [{ title: [...parts, appNameOf(matches)].filter(Boolean).join(" · ") }];
}
