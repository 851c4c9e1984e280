import type { MetaFunction } from "@remix-run/react";
import { ArrowLeft } from "lucide-react";
import type { ReactNode } from "react";
import { LinkButton } from "./button";
import { cx } from "./class-names";

interface PageHeaderProps {
  title: string;
  subtitle?: ReactNode;
  actions?: ReactNode;
}

/** In characters; a longer title has a phone's row for itself. */
const SHORT = 24;
/** On phones the last action, with a menu behind it, stands beside a short title, and the others below what is said of it. */
const BESIDE = "max-sm:[&>:last-child]:order-none max-sm:[&>:has(+details:last-child)]:order-none";

function Head({
  title,
  heading,
  subtitle,
  actions,
  className,
}: PageHeaderProps & { heading: ReactNode; className?: string }) {
  return (
    <header
      className={cx(
        // Without a subtitle something else must end the title's row.
        subtitle == null && "max-sm:after:order-1 max-sm:after:basis-full",
        // The keyboard goes as the eye does, though the DOM ends with the page's own action.
        "[reading-flow:flex-visual] flex flex-wrap items-center justify-between gap-x-4 gap-y-1 max-sm:justify-start max-sm:gap-2",
        className,
      )}
    >
      <div className={cx("min-w-0 flex-1", title.length > SHORT ? "max-sm:basis-full" : "max-sm:min-w-2/5")}>
        {heading}
      </div>
      {subtitle != null && (
        // A row of its own, though its text may be narrower.
        <div className="order-1 basis-full">
          <p className="max-w-prose text-pretty text-muted">{subtitle}</p>
        </div>
      )}
      {actions != null && (
        <div
          className={cx(
            "flex flex-wrap items-center gap-2 max-sm:contents sm:max-w-[75%] sm:shrink-0 sm:justify-end print:hidden! max-sm:*:order-2",
            title.length <= SHORT && BESIDE,
          )}
        >
          {actions}
        </div>
      )}
    </header>
  );
}

export function PageHeader(props: PageHeaderProps) {
  return <Head heading={<h1 className="text-lg">{props.title}</h1>} {...props} className="mb-6" />;
}

/** Begins a section of a page, which its heading's id may label. */
export function SectionHeader({ id, ...props }: PageHeaderProps & { id?: string }) {
  const heading = (
    <h2 id={id} className="wrap-anywhere scroll-mt-20 text-md">
      {props.title}
    </h2>
  );
  return <Head heading={heading} {...props} />;
}

/** Among a header's actions: to the page that this one belongs to. */
export const BackLink = ({ to, children }: { to: string; children: ReactNode }) => (
  <LinkButton to={to} icon={<ArrowLeft />}>
    {children}
  </LinkButton>
);

export function appNameOf(matches: readonly { id: string; data: unknown }[]): string {
  const root = matches.find((match) => match.id === "root")?.data;
  return root && typeof root === "object" && "appName" in root && typeof root.appName === "string"
    ? root.appName
    : "";
}

export function pageTitle(...parts: string[]): MetaFunction {
  return ({ matches }) => [{ title: [...parts, appNameOf(matches)].filter(Boolean).join(" · ") }];
}
