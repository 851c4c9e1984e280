import { ChevronRight } from "lucide-react";
import { PlainText } from "./plain-text";

export function thoughtFor(ms: number): string {
  if (ms < 1000) return "Thought for less than 1 s";
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `Thought for ${seconds} s`;
  return `Thought for ${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

export function Reasoning({ text, durationMs }: { text: string; durationMs: number | undefined }) {
  return (
    <details className="group/reasoning text-muted text-sm">
      <summary className="flex min-h-8 w-fit cursor-pointer items-center gap-1 py-1.5 hover:text-ink pointer-coarse:min-h-11 pointer-coarse:py-3">
        {durationMs === undefined ? "Reasoning" : thoughtFor(durationMs)}
        <ChevronRight
          aria-hidden="true"
          className="size-3.5 shrink-0 transition-transform group-open/reasoning:rotate-90 print:hidden"
        />
      </summary>
      <div className="border-line border-l-2 pl-3">
        <PlainText text={text} />
      </div>
    </details>
  );
}
