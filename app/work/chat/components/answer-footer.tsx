import { ChevronRight, CircleAlert, CircleCheck, CircleSlash } from "lucide-react";
import { type ReactNode, useMemo } from "react";
import type { RouteAttempt, RouteRecord } from "~/platform/catalogue/models.schema";
import { formatCost, formatDuration, formatTokens } from "~/ui/format";
import type { ChatMessage } from "../chat.schema";
import { AnswerActions } from "./message-actions";

const OUTCOMES = {
  answered: { icon: CircleCheck, colour: "text-success-ink", label: "Answered" },
  failed: { icon: CircleAlert, colour: "text-danger-ink", label: "Failed" },
  skipped: { icon: CircleSlash, colour: "text-muted", label: "Skipped" },
} as const;

interface RouteViewProps {
  route: RouteRecord;
  figures: ReactNode;
  firstTokenMs: number | null;
}

/** The routing reason and every attempted provider. Opens without JavaScript. */
function RouteView({ route, figures, firstTokenMs }: RouteViewProps) {
  return (
    <details className="group/route min-w-0 flex-1 basis-48">
      <summary className="flex min-h-7 cursor-pointer items-center gap-x-2 rounded-sm px-1 py-1 text-muted hover:text-ink pointer-coarse:min-h-11">
        <span className="flex min-w-0 flex-wrap items-center gap-x-2">{figures}</span>
        <span className="inline-flex shrink-0 items-center print:hidden">
          <span className="sr-only">Routing details</span>
          <ChevronRight
            aria-hidden="true"
            className="size-3.5 shrink-0 transition-transform group-open/route:rotate-90"
          />
        </span>
      </summary>
      <div className="rounded-md border border-line bg-surface px-3 py-2">
        {route.reason && <p className="text-pretty">{route.reason}</p>}
        {firstTokenMs !== null && <p>First token after {formatDuration(firstTokenMs)}</p>}
        {route.attempts.length > 0 && (
          <ol aria-label="Attempts" className="mt-1.5 divide-y divide-line border-line border-t">
            {route.attempts.map((attempt, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: an attempt is identified by its position.
              <Attempt key={index} attempt={attempt} />
            ))}
          </ol>
        )}
      </div>
    </details>
  );
}

function Attempt({ attempt }: { attempt: RouteAttempt }) {
  const { icon: Icon, colour, label } = OUTCOMES[attempt.outcome];
  return (
    <li className="flex gap-2 py-1.5 last:pb-0">
      <Icon aria-hidden="true" className={`mt-px size-3.5 shrink-0 ${colour}`} />
      <div className="min-w-0 flex-1">
        <p className="wrap-anywhere">
          {attempt.provider} <span className="font-mono text-muted">{attempt.model}</span>
        </p>
        <p className="wrap-anywhere text-muted">
          {label}
          {attempt.reason ? `: ${attempt.reason}` : ""}
        </p>
      </div>
      {attempt.outcome !== "skipped" && (
        <span className="shrink-0 text-muted tabular-nums">{formatDuration(attempt.durationMs)}</span>
      )}
    </li>
  );
}

interface Item {
  label: string;
  text: string;
}

function figuresOf({ model, metrics }: Pick<ChatMessage, "model" | "metrics">): Item[] {
  const items: Item[] = [];
  const by = [model, metrics?.provider].filter(Boolean).join(" · ");
  if (by) items.push({ label: "Model and provider", text: by });
  if (!metrics) return items;
  const { costMicros, durationMs, inputTokens, outputTokens } = metrics;
  if (durationMs !== null) items.push({ label: "Duration", text: formatDuration(durationMs) });
  if (inputTokens !== null && outputTokens !== null) {
    items.push({
      label: "Tokens in → out",
      text: `${formatTokens(inputTokens)} → ${formatTokens(outputTokens)} tokens`,
    });
  }
  if (costMicros !== null) items.push({ label: "Cost", text: formatCost(costMicros) });
  return items;
}

function Figures({ items }: { items: readonly Item[] }) {
  return (
    <span data-figures="" className="wrap-anywhere min-w-0">
      {items.map(({ label, text }, index) => (
        <span key={label}>
          {index > 0 && " · "}
          <span title={label}>{text}</span>
        </span>
      ))}
    </span>
  );
}

export function AnswerFooter({ message, anchor }: { message: ChatMessage; anchor: string | undefined }) {
  const items = useMemo(() => figuresOf(message), [message]);
  const route = message.metrics?.route;
  return (
    <footer
      id={anchor}
      className="-ml-2 flex min-w-0 flex-wrap items-start gap-x-1 text-muted text-xs sm:flex-nowrap print:ml-0 scroll-mt-[35vh]"
    >
      <AnswerActions message={message} />
      {route ? (
        <RouteView
          route={route}
          firstTokenMs={message.metrics?.firstTokenMs ?? null}
          figures={<Figures items={items} />}
        />
      ) : (
        <span className="min-w-0 px-1 py-1.5 pointer-coarse:py-3.5">
          <Figures items={items} />
        </span>
      )}
    </footer>
  );
}
