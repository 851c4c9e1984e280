import { type ReactNode, useEffect, useState } from "react";
import { CopyButton } from "~/ui/copy-button";
import { ScrollRegion } from "~/ui/scroll-region";
import { highlight } from "./highlight";

/** Delay before unchanged code is highlighted, in ms. */
const HIGHLIGHT_DELAY = 120;

/** Diagram languages, which aren't highlighted. */
const DIAGRAMS: ReadonlySet<string> = new Set(["mermaid", "plantuml", "dot", "graphviz"]);

/** Code in an answer with its language and a copy button; a worker highlights it. */
export function CodeBlock({ code, language }: { code: string; language?: string | undefined }) {
  const name = language?.trim().split(/\s/)[0] ?? "";
  const [highlighted, setHighlighted] = useState<{ code: string; content: ReactNode }>();
  useEffect(() => {
    if (!name) return;
    let cancel = () => {};
    // Code that is still being written is highlighted when it pauses.
    const timer = setTimeout(() => {
      cancel = highlight(code, name, (content) => setHighlighted({ code, content }));
    }, HIGHLIGHT_DELAY);
    return () => {
      clearTimeout(timer);
      cancel();
    };
  }, [code, name]);
  return (
    <figure className="overflow-hidden rounded-md border border-line bg-sunken">
      <figcaption className="flex min-h-9 items-center justify-between border-line border-b pr-1 pl-3 text-muted text-xs">
        <span>
          {name || "text"}
          {DIAGRAMS.has(name.toLowerCase()) && " · diagram shown as code"}
        </span>
        <CopyButton text={code} label="Copy code" />
      </figcaption>
      <ScrollRegion label={`Code${name ? ` in ${name}` : ""}`} className="scroll-x p-3">
        <pre>
          <code>{highlighted?.code === code ? highlighted.content : code}</code>
        </pre>
      </ScrollRegion>
    </figure>
  );
}
