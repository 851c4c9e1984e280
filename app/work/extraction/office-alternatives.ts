import type { XmlHandler } from "./office";

/** Elements that stand for content without being text. */
const CONTENT = new Set(["pic", "chart", "relIds", "oleObj"]);

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
  return {
    open(name, attributes) {
      const isRepeated = isBranch(name) && alternatives.at(-1)?.isTaken;
      if (skipped > 0 || isRepeated) skipped += 1;
      else if (name === "AlternateContent") alternatives.push({ isTaken: false, hasContent: false });
      else if (!isBranch(name)) {
        if (CONTENT.has(name)) noteContent();
        handler.open?.(name, attributes);
      }
    },
    text(text) {
      if (skipped > 0) return;
      if (/\S/.test(text)) noteContent();
      handler.text?.(text);
    },
    close(name) {
      const inner = alternatives.at(-1);
      if (skipped > 0) skipped -= 1;
      else if (name === "AlternateContent") {
        if (alternatives.pop()?.isTaken) noteContent();
      } else if (inner && isBranch(name)) inner.isTaken ||= inner.hasContent;
      else handler.close?.(name);
    },
  };
}
