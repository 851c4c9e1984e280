const ENDINGS: Record<string, string> = {
  "text/html": ".html",
  "application/xhtml+xml": ".html",
  "application/pdf": ".pdf",
  "text/markdown": ".md",
  "text/csv": ".csv",
  "application/json": ".json",
  "text/plain": ".txt",
};
/** In characters; file systems take 255 bytes. */
const NAME_MAX = 120;

export function originalName(
  document: { name: string; type: "text" | "url" | "file" },
  version: { fileName: string | null; contentType: string },
): string {
  const type = version.contentType.split(";")[0]?.trim().toLowerCase() ?? "";
  const typeEnding = document.type === "text" ? ".txt" : (ENDINGS[type] ?? "");
  const fullName = (version.fileName || document.name)
    .replaceAll(/[\p{C}/\\:*?"<>|%]+/gu, "-")
    .replace(/^[.\s-]+/, "");
  const nameEnding = /\.[A-Za-z0-9]{1,8}$/.exec(fullName)?.[0] ?? "";
  const isOwnEnding = version.fileName || nameEnding.toLowerCase() === typeEnding;
  const ending = nameEnding && isOwnEnding ? nameEnding : typeEnding;
  const stem = fullName.endsWith(ending) ? fullName.slice(0, fullName.length - ending.length) : fullName;
  return `${[...stem].slice(0, NAME_MAX).join("").trim() || "document"}${ending}`;
}
