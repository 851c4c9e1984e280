import { ExternalLink } from "lucide-react";
import { cx } from "~/ui/class-names";
import { webAddress } from "./source-labels";

export function OutsideLink({ source, className }: { source: string; className?: string }) {
  const href = webAddress(source);
  if (!href) return <span className={className}>{source}</span>;
  return (
    <a
      href={href}
      rel="noopener noreferrer nofollow"
      target="_blank"
      className={cx("text-primary-ink underline-offset-4 hover:underline", className)}
    >
      {source}
      <ExternalLink aria-hidden="true" className="mb-0.5 ml-1 inline size-3" />
      <span className="sr-only"> (opens in a new tab)</span>
    </a>
  );
}
