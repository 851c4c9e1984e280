import { Link } from "@remix-run/react";
import { ChevronLeft, Download, Ellipsis, ExternalLink, Lock, RefreshCw } from "lucide-react";
import type { ReactNode } from "react";
import { MINUTE } from "~/core/durations";
import { Badge } from "~/ui/badge";
import { LinkButton } from "~/ui/button";
import { cx } from "~/ui/class-names";
import { countOf, formatSize } from "~/ui/format";
import { Menu, MenuLink } from "~/ui/menu";
import { RelativeTime } from "~/ui/time";
import type { DocumentDetail } from "../../documents.schema";
import { IntentForm } from "../intent-form";
import { OUTCOMES, refreshTime } from "./schedule";
import { originalUrl, pageUnit, TYPES, webAddress } from "./source-labels";

interface DocumentHeaderProps {
  document: DocumentDetail;
  status: ReactNode;
  category: ReactNode;
  dialogTo: (dialog: string) => string;
  mayWrite: boolean;
}

export function DocumentHeader({ document, status, category, dialogTo, mayWrite }: DocumentHeaderProps) {
  const { id, name, visibility, metadata, version, parent, createdAt, updatedAt } = document;
  return (
    <header className="mb-5">
      <Link
        to="/rag"
        className="-ml-1 inline-flex min-h-8 items-center gap-1 rounded-sm text-muted hover:text-ink pointer-coarse:min-h-11 print:hidden"
      >
        <ChevronLeft aria-hidden="true" className="size-4" />
        RAG &amp; Memory
      </Link>
      <div className="mt-1 flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
        <div className="min-w-0 flex-1 basis-40 sm:basis-72">
          <h1 className="wrap-anywhere text-lg">{name}</h1>
          {metadata.source && metadata.source !== name && (
            <p className="wrap-anywhere mt-0.5 text-muted">
              {parent ? (
                <>
                  From{" "}
                  <Link
                    to={`/rag/${encodeURIComponent(parent.id)}`}
                    className="text-primary-ink underline underline-offset-4"
                  >
                    {parent.name}
                  </Link>
                </>
              ) : (
                <OutsideLink source={metadata.source} />
              )}
            </p>
          )}
        </div>
        <div className="flex flex-wrap items-center gap-2 print:hidden">
          {version?.sha256 && (
            <LinkButton to={originalUrl(id)} reloadDocument icon={<Download aria-hidden="true" />}>
              Download
            </LinkButton>
          )}
          {mayWrite && document.mayManage && metadata.type === "url" && document.status === "ready" && (
            <IntentForm
              intent="refresh-now"
              isBusy={document.progress !== null}
              icon={<RefreshCw aria-hidden="true" />}
            >
              Refresh Now
            </IntentForm>
          )}
          {mayWrite && <Actions document={document} dialogTo={dialogTo} />}
        </div>
      </div>
      <div className="mt-3 flex flex-wrap items-center gap-x-3 gap-y-2">
        {status}
        {visibility === "named" && (
          <Badge icon={<Lock aria-hidden="true" />} tone="warning">
            Specific people
          </Badge>
        )}
        <span className="contents print:hidden">{category}</span>
        <p className="flex flex-wrap gap-x-3 text-muted text-xs tabular-nums">
          {factsOf(document).map((fact) => (
            <span key={fact}>{fact}</span>
          ))}
          <span>
            Added <RelativeTime at={createdAt} />
          </span>
          {Date.parse(updatedAt) - Date.parse(createdAt) > MINUTE && (
            <span>
              Updated <RelativeTime at={updatedAt} />
            </span>
          )}
          {metadata.type === "url" && <RefreshTimes document={document} />}
        </p>
      </div>
    </header>
  );
}

function RefreshTimes({ document: { lastRefresh, refreshAt } }: Pick<DocumentHeaderProps, "document">) {
  return (
    <>
      {lastRefresh && (
        <span>
          Last refreshed <RelativeTime at={lastRefresh.at} />, {OUTCOMES[lastRefresh.outcome]}
        </span>
      )}
      {refreshAt && (
        <span>
          Next refresh <time dateTime={refreshAt}>{refreshTime(refreshAt)}</time>
        </span>
      )}
    </>
  );
}

function factsOf({ metadata, version, chunks }: DocumentDetail): string[] {
  const { format, pages, language, author } = version?.facts ?? { format: "" };
  return [
    format && format !== "Text" ? format : TYPES[metadata.type],
    ...(version?.sha256 ? [formatSize(version.size)] : []),
    ...(pages ? [countOf(pages, pageUnit(format))] : []),
    ...(language ? [language] : []),
    ...(author ? [`By ${author}`] : []),
    ...(chunks > 0 ? [countOf(chunks, "chunk")] : []),
  ];
}

function Actions({ document, dialogTo }: Pick<DocumentHeaderProps, "document" | "dialogTo">) {
  const { mayManage, metadata } = document;
  return (
    <Menu
      label="More actions"
      button={<Ellipsis aria-hidden="true" className="size-4" />}
      buttonClassName="grid size-9 cursor-pointer place-items-center rounded-md border border-line bg-raised text-ink shadow-card hover:bg-hover pointer-coarse:size-11"
    >
      <MenuLink to={dialogTo("rename")}>Rename</MenuLink>
      {mayManage && (
        <>
          <MenuLink to={dialogTo("access")}>Visibility</MenuLink>
          {metadata.type === "url" && <MenuLink to={dialogTo("schedule")}>Refresh Schedule</MenuLink>}
          {metadata.type !== "url" && <MenuLink to={dialogTo("version")}>New Version</MenuLink>}
          <MenuLink to={dialogTo("delete")}>Delete</MenuLink>
        </>
      )}
    </Menu>
  );
}

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
