/** A document that an answer wrote beside its text, as Markdown; code in a fence longer than any in it. */
export function artifactText(content: string, language: string | undefined): string {
  if (language === undefined) return content;
  const longest = Math.max(2, ...[...content.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${/^[\w#+-]{1,30}$/.test(language) ? language : ""}\n${content}\n${fence}`;
}
