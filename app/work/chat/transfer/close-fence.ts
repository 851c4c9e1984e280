const FENCE = /^( {0,3})(`{3,}|~{3,})(.*)$/;

/** Closes a code block that a stopped answer left open, which would swallow what follows in a file. */
export function closeFence(markdown: string): string {
  let open: string | undefined;
  for (const line of markdown.split("\n")) {
    const [, indent, fence, rest = ""] = FENCE.exec(line) ?? [];
    if (fence === undefined) continue;
    if (open !== undefined) {
      if (fence.startsWith(open) && rest.trim() === "") open = undefined;
      // An indented fence may be a list item's, and ends with it.
    } else if (indent === "" && !(fence.startsWith("`") && rest.includes("`"))) open = fence;
  }
  return open === undefined ? markdown : `${markdown}\n${open}`;
}
