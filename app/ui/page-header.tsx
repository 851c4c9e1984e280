import type { MetaFunction } from "@remix-run/react";
import type { ReactNode } from "react";

interface PageHeaderProps {
  title: string;
  subtitle?: ReactNode;
  actions?: ReactNode;
}

export function PageHeader({ title, subtitle, actions }: PageHeaderProps) {
  return (
    <header className="mb-6 flex items-start justify-between gap-x-4 gap-y-3 max-sm:flex-wrap">
      <div className="min-w-0">
        <h1 className="text-lg">{title}</h1>
        {subtitle != null && <p className="mt-0.5 text-pretty text-muted">{subtitle}</p>}
      </div>
      {actions != null && (
        <div className="flex flex-wrap items-center gap-2 sm:max-w-[75%] sm:shrink-0 sm:justify-end print:hidden">
          {actions}
        </div>
      )}
    </header>
  );
}

export function appNameOf(matches: readonly { id: string; data: unknown }[]): string {
  const root = matches.find((match) => match.id === "root")?.data;
  return root && typeof root === "object" && "appName" in root && typeof root.appName === "string"
    ? root.appName
    : "";
}

export function pageTitle(...parts: string[]): MetaFunction {
  return ({ matches }) => [{ title: [...parts, appNameOf(matches)].filter(Boolean).join(" · ") }];
}
