const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;

/** Closes a code block that a stopped answer left open, which would swallow what follows in a file. */
export function closeFence(markdown: string): string {
  let open: string | undefined;
  for (const line of markdown.split("\n")) {
    const [, fence, rest = ""] = FENCE.exec(line) ?? [];
    if (fence === undefined) continue;
    if (open === undefined) open = fence.startsWith("`") && rest.includes("`") ? undefined : fence;
    else if (fence.startsWith(open) && rest.trim() === "") open = undefined;
  }
  return open === undefined ? markdown : `${markdown}\n${open}`;
}
