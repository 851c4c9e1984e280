import type { DocumentFacts } from "../document";
import { shortText } from "../document-builder";
import { readXml } from "./xml";
import type { Parts } from "./zip";

/** Default titles of programs. */
const EMPTY_TITLE =
  /^(?:powerpoint[- ]pr\S+|pr[eé]sentation(?: powerpoint)?|slide 1|untitled|document\d{0,3}|book\d{0,3})$/i;

/** Reads docProps/core.xml (Dublin Core). Ignores damaged properties. */
export function readProperties(parts: Parts): { title: string; facts: Omit<DocumentFacts, "format"> } {
  const properties: Record<string, string> = {};
  let open = "";
  try {
    readXml(parts.get("docProps/core.xml") ?? new TextEncoder().encode("<none/>"), {
      open: (name) => {
        open = name;
      },
      text: (text) => {
        properties[open] = (properties[open] ?? "") + text;
      },
      close: () => {
        open = "";
      },
    });
  } catch {
    return { title: "", facts: {} };
  }
  const [title, author, language, created] = ["title", "creator", "language", "created"].map((name) =>
    shortText(properties[name]),
  );
  return {
    title: title && !EMPTY_TITLE.test(title) ? title : "",
    facts: {
      ...(author ? { author } : {}),
      ...(language ? { language } : {}),
      ...(created ? { created } : {}),
    },
  };
}
