import { Globe, Type } from "lucide-react";
import type { Document } from "../documents.schema";

const TYPES = { text: "Text", url: "Web page", file: "File" } as const;
const LETTERS = 4;

export function DocumentType({ metadata: { type, source } }: Pick<Document, "metadata">) {
  const ending = type === "file" ? (/\.([a-z\d]{1,10})$/i.exec(source)?.[1] ?? "") : "";
  const label = ending ? `${ending.toUpperCase()} file` : TYPES[type];
  return (
    <span title={label} className="grid size-8 place-items-center rounded-md bg-active [&_svg]:size-4">
      {type === "url" && <Globe aria-hidden="true" />}
      {type === "text" && <Type aria-hidden="true" />}
      {type === "file" && (
        <span aria-hidden="true" className="font-semibold text-[10px] tracking-tight">
          {shortened(ending)}
        </span>
      )}
      <span className="sr-only">{label}</span>
    </span>
  );
}

function shortened(ending: string): string {
  const known: Record<string, string> = { markdown: "MD", jsonl: "JSON", ndjson: "JSON", text: "TXT" };
  return known[ending.toLowerCase()] ?? (ending.slice(0, LETTERS).toUpperCase() || "FILE");
}
