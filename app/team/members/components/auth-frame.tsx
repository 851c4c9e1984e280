import { useRouteLoaderData } from "@remix-run/react";
import type { ReactNode } from "react";
import { withBase } from "~/core/base-path";
import { BrandLogo } from "~/ui/logo";

interface AuthFrameProps {
  title: string;
  subtitle?: ReactNode;
  footer?: ReactNode;
  children: ReactNode;
}

export function AuthFrame({ title, subtitle, footer, children }: AuthFrameProps) {
  const root = useRouteLoaderData<{ appName: string; logoUrl: string; initial: string }>("root");
  return (
    <main className="flex min-h-dvh flex-col items-center justify-center px-4 py-12">
      <div aria-hidden="true" className="pattern pointer-events-none fixed inset-x-0 top-0 -z-10 h-[44rem]" />
      <div className="w-full max-w-sm">
        <div className="mb-6 flex flex-col items-center gap-3 text-center">
          <BrandLogo src={root?.logoUrl ?? ""} initial={root?.initial ?? ""} className="size-10" />
          <p className="font-medium text-muted text-sm">{root?.appName}</p>
        </div>
        <div className="glass-surface rounded-xl border border-line p-6 shadow-float sm:p-8">
          <h1 className="text-lg">{title}</h1>
          {subtitle != null && <p className="mt-1 text-pretty text-muted">{subtitle}</p>}
          <div className="mt-6 flex flex-col gap-4">{children}</div>
        </div>
        {footer != null && <div className="mt-6 text-balance text-center text-muted text-sm">{footer}</div>}
      </div>
    </main>
  );
}

export function Or() {
  return (
    <div className="flex items-center gap-3 text-muted text-xs">
      <span className="h-px flex-1 bg-line" />
      or
      <span className="h-px flex-1 bg-line" />
    </div>
  );
}

/** Full navigation, never a fetch. */
export function ProviderLink({ provider, query }: { provider: string; query: Record<string, string> }) {
  const search = new URLSearchParams(query).toString();
  return (
    <a
      href={withBase(search ? `/api/login?${search}` : "/api/login")}
      className="inline-flex min-h-11 items-center justify-center gap-2 rounded-md forced-colors:border bg-primary-solid px-5 py-2 text-center font-medium text-on-solid shadow-card transition-colors hover:bg-primary-solid-hover"
    >
      <span className="min-w-0 break-words">Continue with {provider}</span>
    </a>
  );
}
