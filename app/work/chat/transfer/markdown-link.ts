export const oneLine = (text: string) => text.replaceAll(/\s+/g, " ").trim();

export const escapeMarkdown = (text: string) => oneLine(text).replaceAll(/[\\`*_[\]<>#|~!]/g, "\\$&");

export const markdownLink = (name: string, href: string) =>
  `[${escapeMarkdown(name)}](<${href.replaceAll("\\", "%5C")}>)`;
