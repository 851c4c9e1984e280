import { useMemo } from "react";
import { formatCost, formatDuration, formatTokens } from "~/ui/format";
import type { ChatMessage } from "../chat.schema";
import { AnswerActions } from "./message-actions";
import { RouteView } from "./route-view";

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
