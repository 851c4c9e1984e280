import { ChevronRight, CircleAlert, CircleCheck, CircleSlash, Hourglass, Wrench } from "lucide-react";
import { isShownImage, resultFilePath, resultFilesOf } from "~/ai/tools/files/result-files.shared";
import { toDisplayText } from "~/core/well-formed";
import { Spinner } from "~/ui/button";
import { CopyButton } from "~/ui/copy-button";
import { CallProgress, FileStrip, ResultView } from "~/ui/result-view";
import { ScrollRegion } from "~/ui/scroll-region";
import { isUndecided } from "../answer-state.shared";
import type { ToolPart } from "../chat.schema";
import { readPageOf } from "../read-page.shared";
import { isSharingRefusal } from "../sharing.shared";
import { ApprovalForm, DecidedNote } from "./approvals";
import { useConversationAddress } from "./conversation-provider";
import { PlainText } from "./plain-text";
import { SharingRefusal } from "./sharing";

const STATES = {
  writing: "preparing",
  waiting: "approved",
  running: "running",
  done: "done",
  failed: "failed",
} as const;

function StateIcon({ state, isNotRun }: { state: ToolPart["state"]; isNotRun: boolean }) {
  if (isNotRun) return <CircleSlash aria-hidden="true" className="size-4 text-muted" />;
  if (state === "done") return <CircleCheck aria-hidden="true" className="size-4 text-success-ink" />;
  if (state === "failed") return <CircleAlert aria-hidden="true" className="size-4 text-danger-ink" />;
  // It runs once the other calls are decided, which may take days.
  if (state === "waiting") return <Hourglass aria-hidden="true" className="size-4 text-muted" />;
  return <Spinner />;
}

function pretty(value: unknown): string {
  try {
    return toDisplayText(typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? ""));
  } catch {
    return "Too deeply nested to show.";
  }
}

function Value({ label, value, isResult }: { label: string; value: unknown; isResult?: boolean }) {
  const text = pretty(value);
  const plain = <PlainText text={text} className="font-mono text-xs leading-5" />;
  return (
    <div className="min-w-0">
      <div className="flex items-center justify-between">
        <p className="text-muted text-xs">{label}</p>
        <CopyButton text={text} label={`Copy ${label.toLowerCase()}`} />
      </div>
      <ScrollRegion label={label} className="max-h-64 overflow-auto rounded-sm bg-sunken p-2">
        {isResult ? (
          <ResultView label={label} value={value} clean={toDisplayText}>
            {plain}
          </ResultView>
        ) : (
          plain
        )}
      </ScrollRegion>
    </div>
  );
}

/** Collapsed; a refusal is always shown. */
export function ToolCallView({ part }: { part: ToolPart }) {
  const refused = isSharingRefusal(part);
  if (isUndecided(part)) return <ApprovalForm part={part} />;
  return (
    <>
      <ToolCall part={part} refused={refused} />
      <DecidedNote part={part} />
      <ReadPageLink part={part} />
      <ResultFiles part={part} />
      {refused && part.error && <SharingRefusal reason={part.error} />}
    </>
  );
}

function ReadPageLink({ part }: { part: ToolPart }) {
  const address = useConversationAddress();
  const page = part.state === "done" ? readPageOf(part.output) : undefined;
  if (!page || address === undefined) return null;
  return (
    <p className="wrap-anywhere text-muted text-xs">
      Read:{" "}
      <a
        href={`${address}/sources/${encodeURIComponent(part.toolCallId)}`}
        className="inline-block text-primary-ink underline pointer-coarse:py-3.5"
      >
        <bdi>{toDisplayText(page.title)}</bdi>
      </a>
    </p>
  );
}

function ResultFiles({ part }: { part: ToolPart }) {
  const address = useConversationAddress();
  if (part.state !== "done" || address === undefined) return null;
  const files = resultFilesOf(part.output).map((file) => ({
    ...file,
    name: toDisplayText(file.name),
    href: resultFilePath(file.id),
    isImage: isShownImage(file),
  }));
  return <FileStrip label="Files of the result" files={files} />;
}

function Progress({ part: { state, progress } }: { part: ToolPart }) {
  if (state !== "running" || !progress) return null;
  const { progress: value, total, message } = progress;
  return (
    <div className="px-3 pb-2">
      <CallProgress value={value} total={total} message={message && toDisplayText(message)} />
    </div>
  );
}

function stateOf({ state, approval }: ToolPart, isNotRun: boolean): string {
  if (isNotRun) return "not run";
  return approval?.decision === "refused" ? "refused" : STATES[state];
}

function ToolCall({ part, refused }: { part: ToolPart; refused: boolean }) {
  return (
    <div data-tool-call="" className="rounded-md border border-line bg-surface">
      <ToolCallDetails part={part} refused={refused} />
      <Progress part={part} />
    </div>
  );
}

function ToolCallDetails({ part, refused }: { part: ToolPart; refused: boolean }) {
  const isNotRun = refused || part.approval?.decision === "lapsed";
  // The person's own decision is no failure.
  const isRefusal = part.approval?.decision === "refused";
  return (
    <details className="group">
      <summary className="flex min-h-9 cursor-pointer list-none items-center gap-2 rounded-md px-3 py-1.5 text-sm hover:bg-hover pointer-coarse:min-h-11 [&::-webkit-details-marker]:hidden">
        <Wrench aria-hidden="true" className="size-4 shrink-0 text-muted" />
        <span className="wrap-anywhere min-w-0 font-medium">{toDisplayText(part.toolName)}</span>
        <span className="ml-auto flex items-center gap-1.5 text-muted text-xs">
          <StateIcon state={part.state} isNotRun={isNotRun || isRefusal} />
          {stateOf(part, isNotRun)}
        </span>
        <ChevronRight
          aria-hidden="true"
          className="size-4 shrink-0 text-muted transition-transform group-open:rotate-90"
        />
      </summary>
      <div className="space-y-2 border-line border-t px-3 pt-1 pb-3">
        <Value label="Parameters" value={part.input} />
        {part.state === "done" && <Value label="Result" value={part.output} isResult />}
        {part.error !== undefined && !refused && (
          <Value label={isRefusal ? "Refusal" : "Error"} value={part.error} />
        )}
      </div>
    </details>
  );
}
