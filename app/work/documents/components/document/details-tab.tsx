import { Link } from "@remix-run/react";
import type { ReactNode } from "react";
import { LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { FactList, type Facts } from "~/ui/fact-list";
import { formatCount, formatSize } from "~/ui/format";
import { Notice } from "~/ui/notice";
import { RelativeTime } from "~/ui/time";
import type { Facts as ReadFacts } from "~/work/extraction/document.schema";
import { isGuessedOrChosen } from "~/work/extraction/encodings.shared";
import type { DocumentDetail } from "../../documents.schema";
import { OutsideLink } from "./document-header";
import { OUTCOMES, refreshTime, scheduleLabel } from "./schedule";
import { pageUnit, TYPES, webAddress } from "./source-labels";

interface DetailsTabProps {
  document: DocumentDetail;
  encoding: string | undefined;
  dialogTo?: ((dialog: string) => string) | undefined;
}

export function DetailsTab({ document, encoding, dialogTo }: DetailsTabProps) {
  const { version } = document;
  return (
    <div id="document-details" className="grid items-start gap-4 lg:grid-cols-2">
      <div className="grid gap-4">
        <Card title="Content">
          <FactList
            facts={contentRows(
              document,
              <Encoding name={encoding} facts={version?.facts} changeTo={dialogTo?.("encoding")} />,
            )}
          />
          {version?.facts.notes?.map((note) => (
            <Notice key={note} className="mt-3">
              {note}
            </Notice>
          ))}
        </Card>
        {document.attachments.length > 0 && (
          <Card title={version?.facts.isFolder ? "Files" : "Attachments"}>
            <ul className="grid gap-1">
              {document.attachments.map((one) => (
                <li key={one.id} className="wrap-anywhere">
                  <DocumentLink {...one} />
                </li>
              ))}
            </ul>
          </Card>
        )}
        <Card title="Visibility" actions={<Change to={dialogTo?.("access")} what="visibility" />}>
          <FactList facts={accessRows(document)} />
        </Card>
        {document.metadata.type === "url" && (
          <Card title="Refresh" actions={<Change to={dialogTo?.("schedule")} what="the refresh schedule" />}>
            <FactList facts={scheduleRows(document)} />
          </Card>
        )}
      </div>
      <Card title="Source">
        <FactList facts={sourceRows(document)} />
      </Card>
    </div>
  );
}

function DocumentLink({ id, name }: { id: string; name: string }) {
  return (
    <Link
      to={`/rag/${encodeURIComponent(id)}`}
      className="text-primary-ink underline-offset-4 hover:underline pointer-coarse:inline-flex pointer-coarse:min-h-11 pointer-coarse:items-center"
    >
      {name}
    </Link>
  );
}

interface ChangeProps {
  to: string | undefined;
  what: string;
}

function Change({ to, what }: ChangeProps) {
  if (!to) return null;
  return (
    <LinkButton to={to} preventScrollReset size="sm">
      Change<span className="sr-only"> {what}</span>
    </LinkButton>
  );
}

const BASES = { declared: "", guessed: ", guessed", uncertain: ", guessed", chosen: ", chosen" };

interface EncodingProps {
  name: string | undefined;
  facts: ReadFacts | undefined;
  changeTo: string | undefined;
}

function Encoding({ name, facts, changeTo }: EncodingProps) {
  return (
    <>
      {name}
      {BASES[facts?.encodingBasis ?? "declared"]}
      {changeTo && facts && isGuessedOrChosen(facts) && (
        <>
          {" · "}
          <Link to={changeTo} preventScrollReset className="text-primary-ink underline underline-offset-4">
            Change<span className="sr-only"> the encoding</span>
          </Link>
        </>
      )}
    </>
  );
}

const PAGES = { page: "Pages", sheet: "Sheets", slide: "Slides" };

function contentRows({ chunks, metadata, version }: DocumentDetail, encoding: ReactNode): Facts {
  return [
    ["Title", version?.title],
    ["Format", version?.facts.format],
    ["Encoding", version?.facts.encoding && encoding],
    ["Author", version?.facts.author],
    ["Language", version?.facts.language],
    ["Created", version?.facts.created],
    [
      PAGES[pageUnit(version?.facts.format ?? "")],
      version?.facts.pages === undefined ? null : formatCount(version.facts.pages),
    ],
    ["Characters", version?.textLength == null ? null : formatCount(version.textLength)],
    ["Chunks", formatCount(chunks)],
    ["Category", metadata.category],
  ];
}

function sourceRows({
  metadata,
  version,
  parent,
  origin,
  createdAt,
  updatedAt,
  createdBy,
  id,
}: DocumentDetail): Facts {
  const redirectedTo =
    version?.finalUrl && version.finalUrl !== metadata.source ? webAddress(version.finalUrl) : null;
  return [
    ["Type", TYPES[metadata.type]],
    ["Source", metadata.source && <OutsideLink source={metadata.source} />],
    ["Kept from", origin?.name],
    ["Original", origin?.link && <OutsideLink key="original" source={origin.link} />],
    ["Came in", parent && <DocumentLink key="parent" {...parent} />],
    ["Redirected to", redirectedTo && <OutsideLink source={redirectedTo} />],
    ["Media type", version?.contentType],
    ["Size", version?.sha256 ? formatSize(version.size) : null],
    ["Version", version?.number],
    ["SHA-256", version?.sha256 && <span className="font-mono text-xs">{version.sha256}</span>],
    ["Added", <RelativeTime key="added" at={createdAt} />],
    ["Added by", createdBy.name],
    ["Updated", <RelativeTime key="updated" at={updatedAt} />],
    [
      "ID",
      <span key="id" className="font-mono text-xs">
        {id}
      </span>,
    ],
  ];
}

function accessRows({ visibility, readers, createdBy }: DocumentDetail): Facts {
  if (visibility === "organisation") return [["Visible to", "Everyone in the organization"]];
  const readerNames = readers?.map(({ name }) => name).join(", ");
  return [
    [
      "Visible to",
      readers === null ? "Specific people only" : [createdBy.name, readerNames].filter(Boolean).join(", "),
    ],
  ];
}

function scheduleRows({ refreshEvery, refreshAt, lastRefresh }: DocumentDetail): Facts {
  return [
    ["Frequency", scheduleLabel(refreshEvery)],
    // Absolute, since relative times are for the past.
    ["Next refresh", refreshAt && <time dateTime={refreshAt}>{refreshTime(refreshAt)}</time>],
    [
      "Last refresh",
      lastRefresh && (
        <>
          <RelativeTime at={lastRefresh.at} />, {OUTCOMES[lastRefresh.outcome]}
        </>
      ),
    ],
    ["Reason", lastRefresh?.error],
  ];
}
