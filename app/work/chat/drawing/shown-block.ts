import type { ReactNode } from "react";

/** What of a block a browser shows beside its code. */
type ShownKind = "mermaid" | "svg" | "html";

export interface ShownBlockProps {
  kind: ShownKind;
  name: string;
  code: string;
  /** The code as it is shown otherwise. */
  children: ReactNode;
}

/** @param name the language that a block names, in any case */
export function shownKind(name: string, code: string): ShownKind | undefined {
  const language = name.toLowerCase();
  if (language === "mermaid" || language === "svg") return language;
  const isHtml = language === "html" || language === "htm";
  if ((isHtml || language === "xml") && /^\s*<svg[\s>]/.test(code)) return "svg";
  return isHtml ? "html" : undefined;
}
