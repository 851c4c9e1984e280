import { type ReactNode, useEffect, useState } from "react";
import { CopyButton } from "~/ui/copy-button";
import { ScrollRegion } from "~/ui/scroll-region";

/** Delay before unchanged code is highlighted, in ms. */
const RESTING = 120;

/** Diagram languages, which aren't highlighted. */
const DIAGRAMS: ReadonlySet<string> = new Set(["mermaid", "plantuml", "dot", "graphviz"]);

/** Highlighted once its script has loaded. */
export function CodeBlock({ code, language }: { code: string; language?: string | undefined }) {
  const name = language?.trim().split(/\s/)[0] ?? "";
  const [coloured, setColoured] = useState<{ code: string; content: ReactNode }>();
  useEffect(() => {
    if (!name) return;
    let current = true;
    let forget = () => {};
    // Code that is still being written is highlighted when it pauses.
    const timer = setTimeout(() => {
      import("./highlight").then(
        ({ highlight }) => {
          if (current) forget = highlight(code, name, (content) => setColoured({ code, content }));
        },
        // The code stays plain; the next block retries.
        () => undefined,
      );
    }, RESTING);
    return () => {
      current = false;
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
