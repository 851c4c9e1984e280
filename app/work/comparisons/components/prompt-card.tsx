import { toDisplayText } from "~/core/well-formed";
import { CopyButton } from "~/ui/copy-button";
import { ScrollRegion } from "~/ui/scroll-region";

/** Scrolls, so that the answers stay visible. */
export function PromptCard({ prompt }: { prompt: string }) {
  return (
    <section className="rounded-lg border border-line bg-surface pb-3 shadow-card">
      <header className="flex items-center justify-between gap-3 px-4 pt-2">
        <h2 className="text-sm">Prompt</h2>
        <CopyButton text={prompt} label="Copy prompt" />
      </header>
      <ScrollRegion label="Prompt" className="max-h-48 overflow-y-auto px-4">
        <p dir="auto" className="wrap-anywhere whitespace-pre-wrap text-sm leading-6">
          {toDisplayText(prompt)}
        </p>
      </ScrollRegion>
    </section>
  );
}
