import { Link } from "@remix-run/react";
import { Badge, type Tone } from "~/ui/badge";
import { LinkButton } from "~/ui/button";
import { ChipLink } from "~/ui/chip-link";
import { formatSize } from "~/ui/format";
import { Cell, HeadCell, Table, TableRow } from "~/ui/table";
import { RelativeTime } from "~/ui/time";
import { OutsideLink } from "../../components/document/document-header";
import type { SourceFile } from "../source.schema";

const STATES: Readonly<Record<SourceFile["state"], { label: string; tone: Tone }>> = {
  current: { label: "Current", tone: "success" },
  skipped: { label: "Skipped", tone: "neutral" },
  failed: { label: "Failed", tone: "danger" },
  removed: { label: "Removed", tone: "neutral" },
};

/** On phones the file's cell has both. */
const IF_WIDE = "max-sm:hidden";

interface SourceFilesProps {
  files: readonly SourceFile[];
  state: SourceFile["state"] | undefined;
  here: string;
  /** Address of the next page. */
  nextTo: string | undefined;
}

export function SourceFiles({ files, state, here, nextTo }: SourceFilesProps) {
  const filters = [undefined, "current", "skipped", "failed", "removed"] as const;
  return (
    <section aria-label="Files" className="flex flex-col gap-3">
      <nav aria-label="Files by state" className="flex flex-wrap gap-2">
        {filters.map((filter) => (
          <ChipLink
            key={filter ?? "all"}
            to={filter ? `${here}?state=${filter}` : here}
            preventScrollReset
            isCurrent={filter === state}
          >
            {filter ? STATES[filter].label : "All files"}
          </ChipLink>
        ))}
      </nav>
      {files.length === 0 ? (
        <p className="text-muted">{state ? "No such files." : "No files yet."}</p>
      ) : (
        <Table caption="Files">
          <thead>
            <tr>
              <HeadCell>File</HeadCell>
              <HeadCell>State</HeadCell>
              <HeadCell align="right" className={IF_WIDE}>
                Size
              </HeadCell>
              <HeadCell className={IF_WIDE}>Changed</HeadCell>
            </tr>
          </thead>
          <tbody>
            {files.map((file) => (
              <FileRow key={file.path} file={file} />
            ))}
          </tbody>
        </Table>
      )}
      {nextTo && (
        <div>
          <LinkButton to={nextTo}>Older files</LinkButton>
        </div>
      )}
    </section>
  );
}

function FileRow({
  file: { path, state, reason, size, link, document, missingSince, changedAt },
}: {
  file: SourceFile;
}) {
  return (
    <TableRow>
      <Cell>
        {document ? (
          <Link
            to={`/rag/${encodeURIComponent(document.id)}`}
            className="wrap-anywhere font-medium underline-offset-4 hover:underline"
          >
            {path}
          </Link>
        ) : (
          <span className="wrap-anywhere">{path}</span>
        )}
        {link && (
          <p className="wrap-anywhere text-xs">
            <OutsideLink source={link} />
          </p>
        )}
        <p className="text-muted text-xs sm:hidden">
          {size !== null && `${formatSize(size)} · `}
          <RelativeTime at={changedAt} style="short" />
        </p>
      </Cell>
      <Cell>
        <Badge tone={missingSince ? "warning" : STATES[state].tone}>
          {missingSince ? "Missing" : STATES[state].label}
        </Badge>
        {reason && <p className="wrap-anywhere mt-1 text-muted text-xs">{reason}</p>}
      </Cell>
      <Cell align="right" className={IF_WIDE}>
        <span className="whitespace-nowrap tabular-nums">{size === null ? "" : formatSize(size)}</span>
      </Cell>
      <Cell className={IF_WIDE}>
        <RelativeTime at={changedAt} className="whitespace-nowrap" />
      </Cell>
    </TableRow>
  );
}
