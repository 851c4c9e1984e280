export const oneLine = (text: string) => text.replaceAll(/\s+/g, " ").trim();

export const escapeMarkdown = (text: string) => oneLine(text).replaceAll(/[\\`*_[\]<>#|~!]/g, "\\$&");

export const markdownLink = (name: string, href: string) =>
  `[${escapeMarkdown(name)}](<${href.replaceAll(/[\\<>]/g, encodeURIComponent)}>)`;

/** A code block, whose fence is longer than any run of backticks in it. */
export function codeBlock(code: string, language: string): string {
  const longest = code.match(/`{3,}/g)?.reduce((most, { length }) => Math.max(most, length), 2) ?? 2;
  const fence = "`".repeat(longest + 1);
  return `${fence}${/^[\w#+-]{1,30}$/.test(language) ? language : ""}\n${code}\n${fence}`;
}
