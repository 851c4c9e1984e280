const FENCE = /^\s*(`{3,}|~{3,})(.*)$/;
/** Code within a line, or the text between. */
const PIECE = /(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)|`+|[^`]+/g;

/** Changes a Markdown text line by line, except fenced and inline code. */
export function changeProse(markdown: string, change: (text: string) => string): string {
  let open: string | undefined;
  const changeLine = (line: string) => {
    const [, fence, rest = ""] = FENCE.exec(line) ?? [];
    if (open !== undefined) {
      if (fence?.startsWith(open) && rest.trim() === "") open = undefined;
      return line;
    }
    if (fence && !(fence.startsWith("`") && rest.includes("`"))) {
      open = fence;
      return line;
    }
    return line.replaceAll(PIECE, (piece) => (piece.startsWith("`") ? piece : change(piece)));
  };
  return markdown.split("\n").map(changeLine).join("\n");
}
