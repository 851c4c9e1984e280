import { toDisplayText } from "~/core/well-formed";
import { CopyButton } from "~/ui/copy-button";
import { ResultView } from "~/ui/result-view";
import { ScrollRegion } from "~/ui/scroll-region";

const MAX_SHOWN = 20_000;

/** Shows a value of a step or run, with a copy button. */
export function JsonValue({ label, value, titled }: { label: string; value: unknown; titled?: boolean }) {
  const text = typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
  return (
    <section aria-label={label} className="min-w-0">
      <div className="flex items-center justify-between">
        {titled ? <h2 className="text-sm">{label}</h2> : <h3 className="text-muted text-xs">{label}</h3>}
        <CopyButton text={text} label={`Copy ${label.toLowerCase()}`} />
      </div>
      <ScrollRegion label={label} className="max-h-80 overflow-auto rounded-md bg-sunken p-3">
        <ResultView label={label} value={value} clean={toDisplayText}>
          <pre className="whitespace-pre-wrap break-words font-mono text-xs">
            {toDisplayText(text.slice(0, MAX_SHOWN))}
            {text.length > MAX_SHOWN && "…"}
          </pre>
        </ResultView>
      </ScrollRegion>
    </section>
  );
}
