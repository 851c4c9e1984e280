import type { MetaFunction } from "@remix-run/react";
import type { ReactNode } from "react";
import { cx } from "./class-names";

interface PageHeaderProps {
  title: string;
  subtitle?: ReactNode;
  actions?: ReactNode;
}

/** On phones the last action, which is the page's own, stands beside the title, and the others below what is said of it. */
function Head({
  heading,
  subtitle,
  actions,
  className,
}: Omit<PageHeaderProps, "title"> & { heading: ReactNode; className?: string }) {
  return (
    <header
      className={cx(
        // Without a subtitle something else must end the title's row.
        subtitle == null && "max-sm:after:order-1 max-sm:after:-mt-3 max-sm:after:basis-full",
        "flex items-start justify-between gap-x-4 gap-y-3 max-sm:flex-wrap max-sm:items-center max-sm:justify-start max-sm:gap-x-2",
        className,
      )}
    >
      <div className="min-w-0 max-sm:contents">
        {heading}
        {subtitle != null && (
          <p className="mt-0.5 max-w-prose text-pretty text-muted max-sm:order-1 max-sm:-mt-2 max-sm:basis-full">
            {subtitle}
          </p>
        )}
      </div>
      {actions != null && (
        <div className="flex flex-wrap items-center gap-2 sm:max-w-[75%] sm:shrink-0 max-sm:contents sm:justify-end print:hidden! max-sm:*:order-2 max-sm:*:last:order-none">
          {actions}
        </div>
      )}
    </header>
  );
}

export function PageHeader({ title, ...rest }: PageHeaderProps) {
  const heading = <h1 className="text-lg max-sm:min-w-2/5 max-sm:flex-1">{title}</h1>;
  return <Head heading={heading} {...rest} className="mb-6" />;
}

/** Begins a section of a page, which its heading's id may label. */
export function SectionHeader({ id, title, ...rest }: PageHeaderProps & { id?: string }) {
  const heading = (
    <h2 id={id} className="wrap-anywhere scroll-mt-20 text-md max-sm:min-w-2/5 max-sm:flex-1">
      {title}
    </h2>
  );
  return <Head heading={heading} {...rest} />;
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
