import { shortText } from "../document-builder";

interface FrontMatter {
  title: string;
  author: string;
  body: string;
}

function field(lines: readonly string[], name: string): string {
  const line = lines.find(
    (item) => item.toLowerCase().startsWith(`${name}:`) || item.startsWith(`${name} =`),
  );
  const value = line?.slice(line.indexOf(line.includes(":") ? ":" : "=") + 1).trim() ?? "";
  return shortText(/^(["'])(.*)\1$/.exec(value)?.[2] ?? value);
}

export function readFrontMatter(text: string): FrontMatter {
  const fence = /^\ufeff?(---|\+\+\+)[^\S\n]*\n/.exec(text);
  const end = fence ? text.indexOf(`\n${fence[1]}`, fence[0].length - 1) : -1;
  if (!fence || end < 0 || end > 20_000) return { title: "", author: "", body: text };
  const lines = text.slice(fence[0].length, end).split("\n");
  // Prose between two horizontal rules isn't front matter.
  if (!lines.some((line) => /^[\w-]{1,50}\s?[:=]/.test(line))) return { title: "", author: "", body: text };
  const after = text.indexOf("\n", end + 1);
  return {
    title: field(lines, "title"),
    author: field(lines, "author"),
    body: after < 0 ? "" : text.slice(after + 1),
  };
}
