import { Link } from "@remix-run/react";
import { Download, History } from "lucide-react";
import { Badge, type Tone } from "~/ui/badge";
import { IconLink } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { formatCount, formatSize } from "~/ui/format";
import { Cell, HeadCell, Table, TableRow } from "~/ui/table";
import { RelativeTime } from "~/ui/time";
import type { DocumentDetail, DocumentVersion } from "../../documents.schema";
import { IntentForm } from "../intent-form";
import { originalUrl } from "./source-labels";

const STATES: Record<DocumentVersion["state"], { label: string; tone: Tone }> = {
  receiving: { label: "Uploading", tone: "info" },
  received: { label: "Queued", tone: "info" },
  read: { label: "Indexing", tone: "info" },
  served: { label: "Current", tone: "success" },
  replaced: { label: "Replaced", tone: "neutral" },
  failed: { label: "Failed", tone: "danger" },
};

interface VersionsTabProps {
  document: DocumentDetail;
  versions: DocumentVersion[];
  textTo: (version: number) => string;
  nextTo?: string | undefined;
}

export function VersionsTab({ document, versions, textTo, nextTo }: VersionsTabProps) {
  if (versions.length === 0) {
    return (
      <EmptyState
        icon={<History />}
        title="No versions yet"
        description="Versions appear here once the document's content is stored."
      />
    );
  }
  return (
    <>
      <Table caption={`Versions of ${document.name}`}>
        <thead>
          <tr>
            <HeadCell>Version</HeadCell>
            <HeadCell>State</HeadCell>
            <HeadCell className="max-sm:hidden">Added</HeadCell>
            <HeadCell align="right" className="max-sm:hidden">
              Size
            </HeadCell>
            <HeadCell align="right" className="max-sm:hidden">
              Characters
            </HeadCell>
            <HeadCell className="max-sm:hidden">SHA-256</HeadCell>
            <HeadCell>
              <span className="sr-only">Actions</span>
            </HeadCell>
          </tr>
        </thead>
        <tbody>
          {versions.map((version) => (
            <VersionRow
              key={version.id}
              document={document}
              version={version}
              textTo={textTo(version.number)}
            />
          ))}
        </tbody>
      </Table>
      {nextTo && (
        <p className="mt-4 text-center">
          <Link to={nextTo} className="text-primary-ink underline underline-offset-4">
            Older Versions
          </Link>
        </p>
      )}
    </>
  );
}

interface VersionRowProps {
  document: DocumentDetail;
  version: DocumentVersion;
  textTo: string;
}

function VersionRow({ document, version, textTo }: VersionRowProps) {
  const { number, state, error, size, sha256, textLength, createdAt } = version;
  const { label, tone } = STATES[state];
  const readable = (textLength ?? 0) > 0;
  return (
    <TableRow>
      <Cell>
        <span className="font-medium tabular-nums">{number}</span>
      </Cell>
      <Cell>
        <Badge tone={tone}>{label}</Badge>
        <RelativeTime at={createdAt} style="short" className="mt-1 block text-muted text-xs sm:hidden" />
        {error && <p className="wrap-anywhere mt-1 max-w-80 text-danger-ink text-xs">{error}</p>}
      </Cell>
      <Cell className="max-sm:hidden">
        <RelativeTime at={createdAt} style="short" className="whitespace-nowrap" />
      </Cell>
      <Cell align="right" className="max-sm:hidden">
        <span className="whitespace-nowrap tabular-nums">{sha256 ? formatSize(size) : "—"}</span>
      </Cell>
      <Cell align="right" className="max-sm:hidden">
        <span className="tabular-nums">{textLength === null ? "—" : formatCount(textLength)}</span>
      </Cell>
      <Cell className="max-sm:hidden">
        <span title={sha256 ?? undefined} className="font-mono text-muted text-xs">
          {sha256 ? sha256.slice(0, 12) : "—"}
        </span>
      </Cell>
      <Cell align="right">
        <div className="flex items-center justify-end gap-1">
          {readable && (
            <Link
              to={textTo}
              className="inline-flex min-h-8 items-center px-2 text-primary-ink underline-offset-4 hover:underline pointer-coarse:min-h-11"
            >
              Text<span className="sr-only"> of version {number}</span>
            </Link>
          )}
          {document.mayManage && state === "replaced" && readable && (
            <IntentForm intent="restore-version" values={{ version: String(number) }} size="sm">
              Restore<span className="sr-only"> version {number}</span>
            </IntentForm>
          )}
          {sha256 && (
            <IconLink
              to={originalUrl(document.id, number)}
              reloadDocument
              label={`Download version ${number}`}
              icon={<Download />}
            />
          )}
        </div>
      </Cell>
    </TableRow>
  );
}
