import { altTextOf } from "./drawings/alt-text";
import type { XmlHandler } from "./office";

/** Elements that stand for content without being text. A slicer repeats cells, and its fallback only names it. */
const CONTENT = new Set(["pic", "chart", "relIds", "oleObj", "slicer", "timeslicer"]);
/** Elements that describe a drawing. */
const DESCRIPTIONS = new Set(["cNvPr", "docPr"]);

/**
 * Passes the first branch of each `mc:AlternateContent` that has content: its branches show the same thing for newer
 * and older programs.
 */
export function oneAlternative(handler: XmlHandler): XmlHandler {
  const alternatives: { isTaken: boolean; hasContent: boolean }[] = [];
  const noteContent = () => {
    const inner = alternatives.at(-1);
    if (inner) inner.hasContent = true;
  };
  const isBranch = (name: string) => (name === "Choice" || name === "Fallback") && alternatives.length > 0;
  /** Depth within a branch that is passed over. */
  let skipped = 0;
  /** Other elements have numbers, such as places. */
  let inText = false;
  return {
    ...handler,
    open(name, attributes) {
      inText = name === "t";
      const isRepeated = isBranch(name) && alternatives.at(-1)?.isTaken;
      if (skipped > 0 || isRepeated) skipped += 1;
      else if (name === "AlternateContent") alternatives.push({ isTaken: false, hasContent: false });
      else if (!isBranch(name)) {
        if (CONTENT.has(name) || (DESCRIPTIONS.has(name) && altTextOf(attributes))) noteContent();
        handler.open?.(name, attributes);
      }
    },
    text(text) {
      if (skipped > 0) return;
      if (inText && /\S/.test(text)) noteContent();
      handler.text?.(text);
    },
    close(name) {
      inText = false;
      const inner = alternatives.at(-1);
      if (skipped > 0) skipped -= 1;
      else if (name === "AlternateContent") {
        if (alternatives.pop()?.isTaken) noteContent();
      } else if (inner && isBranch(name)) inner.isTaken ||= inner.hasContent;
      else handler.close?.(name);
    },
  };
}
