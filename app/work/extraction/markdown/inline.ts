import type { Token } from "marked";

const NAMED: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

/** Decodes common character references only. */
function decodeReferences(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,4}));/gi, (whole, decimal, hex, name) => {
    if (name) return NAMED[name.toLowerCase()] ?? whole;
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

export function inlineText(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if (token.type === "br") return "\n";
      if (token.type === "html") return /^<br\b/i.test(token.raw) ? "\n" : "";
      if (token.type === "codespan") return String(token.text);
      if (token.type === "checkbox") return "";
      if ("tokens" in token && token.tokens) return inlineText(token.tokens);
      return "text" in token ? decodeReferences(String(token.text)) : "";
    })
    .join("");
}
