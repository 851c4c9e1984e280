import { FileJson, X } from "lucide-react";
import { Badge } from "~/ui/badge";
import { Spinner } from "~/ui/button";
import { countOf, formatCount } from "~/ui/format";
import { Row } from "~/ui/row";
import { RowList } from "~/ui/row-selection";
import { RelativeTime } from "~/ui/time";
import type { ConversationImport } from "../transfer/imports.schema";

const isEmpty = ({ imported, alreadyImported }: ConversationImport["report"]) =>
  imported === 0 && alreadyImported === 0;

function State({ state, report }: Pick<ConversationImport, "state" | "report">) {
  if (state === "running")
    return (
      <span className="flex items-center gap-1.5 text-muted text-xs">
        <Spinner /> Importing…
      </span>
    );
  if (state === "cancelled") return <Badge>Canceled</Badge>;
  if (state === "failed") return <Badge tone="danger">Failed</Badge>;
  if (isEmpty(report)) return <Badge tone="danger">Nothing imported</Badge>;
  return report.error === null ? null : <Badge tone="warning">Incomplete</Badge>;
}

function Report({ report }: Pick<ConversationImport, "report">) {
  const { error, leftOut } = report;
  const reasons = Object.entries(leftOut);
  return (
    <>
      {error && <p className="wrap-anywhere text-danger-ink text-xs">{error}</p>}
      {reasons.length > 0 && (
        <details open={isEmpty(report) || undefined} className="row-over relative text-muted text-xs">
          <summary className="disclosure min-h-8 w-fit cursor-pointer py-2 pointer-coarse:min-h-11 pointer-coarse:py-3.5">
            Skipped or changed
          </summary>
          <ul className="list-disc pb-1 pl-5">
            {reasons.map(([reason, n]) => (
              <li key={reason}>
                {reason.charAt(0).toUpperCase() + reason.slice(1)}: {formatCount(n)}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

export function ImportList({ imports }: { imports: readonly ConversationImport[] }) {
  return (
    <RowList label="Imports">
      {imports.map(({ id, fileName, state, report, createdAt }) => (
        <Row
          key={id}
          name={fileName}
          icon={<FileJson aria-hidden="true" />}
          state={<State state={state} report={report} />}
          meta={
            <>
              {countOf(report.imported, "conversation")}, {countOf(report.messages, "message")}
              {report.alreadyImported > 0 && ` · ${formatCount(report.alreadyImported)} imported before`}
              {" · "}
              <RelativeTime at={createdAt} style="short" />
            </>
          }
          details={<Report report={report} />}
          actions={
            state === "running"
              ? [
                  {
                    label: "Cancel",
                    fullLabel: `Cancel importing ${fileName}`,
                    icon: <X aria-hidden="true" />,
                    values: { intent: "cancel", id },
                  },
                ]
              : []
          }
        />
      ))}
    </RowList>
  );
}
