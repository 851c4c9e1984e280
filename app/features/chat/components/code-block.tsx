import { type ReactNode, useEffect, useState } from "react";
import { CopyButton } from "~/ui/copy-button";
import { ScrollRegion } from "~/ui/scroll-region";
import { highlight } from "./highlight";

/** Delay before unchanged code is highlighted, in ms. */
const RESTING = 120;

/** Diagram languages, which aren't highlighted. */
const DIAGRAMS: ReadonlySet<string> = new Set(["mermaid", "plantuml", "dot", "graphviz"]);

/** Code of a model with its language and a copy button; colours come when their thread has read it. */
export function CodeBlock({ code, language }: { code: string; language?: string | undefined }) {
  const name = language?.trim().split(/\s/)[0] ?? "";
  const [coloured, setColoured] = useState<{ code: string; content: ReactNode }>();
  useEffect(() => {
    if (!name) return;
    let forget = () => {};
    // Code that is still being written is highlighted when it pauses.
    const timer = setTimeout(() => {
      forget = highlight(code, name, (content) => setColoured({ code, content }));
    }, RESTING);
    return () => {
      clearTimeout(timer);
      forget();
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
      <ScrollRegion label={`Code${name ? ` in ${name}` : ""}`} className="overflow-x-auto p-3">
        <pre>
          <code>{coloured?.code === code ? coloured.content : code}</code>
        </pre>
      </ScrollRegion>
    </figure>
  );
}
