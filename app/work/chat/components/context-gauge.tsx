import { Gauge } from "lucide-react";
import type { ContextUse } from "~/ai/tools/answer-stream.schema";
import { Card } from "~/ui/card";
import { formatCount } from "~/ui/format";
import { CONTEXT_ROWS, contextShare, contextTokens } from "../context/context-use.shared";

/** What fills the context of the model that answered last. */
export function ContextGauge({ use, model }: { use: ContextUse; model: string }) {
  const share = contextShare(use);
  return (
    <Card title="Context" icon={<Gauge aria-hidden="true" />}>
      <div className="space-y-3 text-sm" data-context-gauge="">
        <p>
          About {formatCount(contextTokens(use))}
          {use.length !== undefined && ` of ${formatCount(use.length)}`} tokens
          {share !== undefined && ` (${share}%)`}, after the last answer of {model}
        </p>
        {share !== undefined && (
          <div
            aria-hidden="true"
            className="h-1.5 overflow-hidden rounded-full bg-active forced-colors:border"
          >
            <div
              className="h-full rounded-full bg-primary forced-colors:bg-[CanvasText]"
              style={{ width: `${share}%` }}
            />
          </div>
        )}
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2 [&_dd]:text-right [&_dd]:tabular-nums [&_dt]:text-muted">
          {CONTEXT_ROWS.filter(([key]) => use[key] > 0).map(([key, label]) => (
            <div key={key} className="contents">
              <dt>{label}</dt>
              <dd>{formatCount(use[key])}</dd>
            </div>
          ))}
        </dl>
        {use.problem && (
          <p className="wrap-anywhere text-warning-ink">Earlier messages not summarized: {use.problem}</p>
        )}
      </div>
    </Card>
  );
}
