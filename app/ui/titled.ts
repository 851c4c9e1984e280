import type { MetaFunction } from "@remix-run/react";

/** A screen's `meta`: its title before the application's name, which the root's loader knows. */
export function titled(title: string): MetaFunction {
  return ({ matches }) => {
    const root = matches.find((match) => match.id === "root")?.data;
    const appName =
      root && typeof root === "object" && "appName" in root && typeof root.appName === "string"
        ? root.appName
        : "Quarterdeck";
    return [{ title: `${title} · ${appName}` }];
  };
}
