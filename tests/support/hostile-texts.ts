/** Markdown that is quadratic in careless parsers, of a given length. */
const MARKDOWN: Record<string, (length: number) => string> = {
  "a wide table": (length) => {
    const columns = Math.floor(length / 8);
    return `${"|a".repeat(columns)}|\n${"|-".repeat(columns)}|\n${"|b".repeat(columns)}|\n`;
  },
  "a long table": (length) => `|a|b|\n|-|-|\n${"|a|b|\n".repeat(length / 6)}`,
  "underscores between letters": (length) => "_a".repeat(length / 2),
  "openings of strong text": (length) => "**a ".repeat(length / 4),
  "openings of strong text without a space": (length) => "**a".repeat(length / 3),
  tildes: (length) => "~~a ".repeat(length / 4),
  brackets: (length) => "[".repeat(length),
  "brackets that close": (length) => "[".repeat(length / 2) + "]".repeat(length / 2),
  "openings of images": (length) => "![a](".repeat(length / 5),
  "links in links": (length) => "[a](b".repeat(length / 5),
  "openings of tags": (length) => "<a ".repeat(length / 3),
  comments: (length) => "<!--".repeat(length / 4),
  backticks: (length) => {
    let text = "";
    for (let run = 1; text.length < length; run++) text += `${"`".repeat((run % 300) + 1)} `;
    return text.slice(0, length);
  },
  quotes: (length) => `${">".repeat(length - 2)} a`,
  "a deep list": (length) => {
    let text = "";
    for (let depth = 0; text.length < length; depth++) text += `${" ".repeat((depth % 400) * 2)}- a\n`;
    return text.slice(0, length);
  },
  "a list on one line": (length) => "- ".repeat(length / 2),
  "spaces at line ends": (length) => `${" ".repeat(1000)}\n`.repeat(length / 1001),
  "one line of spaces": (length) => `a${" ".repeat(length - 2)}b`,
  addresses: (length) => "http://a.".repeat(length / 9),
  "email addresses": (length) => "a@a.".repeat(length / 4),
  entities: (length) => "&amp".repeat(length / 4),
  "link definitions": (length) => "[a]: b\n".repeat(length / 7),
  escapes: (length) => "\\*".repeat(length / 2),
  fences: (length) => "```\n~~~\n".repeat(length / 8),
  "one line of code": (length) => `\`\`\`js\n${"a(".repeat(length / 2)}\n\`\`\``,
  "strings in code": (length) => `\`\`\`js\n${"'`\"\\".repeat(length / 4)}\n\`\`\``,
  formulas: (length) => "$a$ ".repeat(length / 4),
  "formulas on lines of their own": (length) => "$$\\frac{a}{b}$$\n\n".repeat(length / 16),
  "openings of formulas": (length) => "$\\(\\[".repeat(length / 5),
  "a deep formula": (length) => `$$${"x^{".repeat(length / 3)}$$`,
  headings: (length) => "# a\n".repeat(length / 4),
  "one letter in each paragraph": (length) => "a\n\n".repeat(length / 3),
};

export const hostileMarkdown = (length: number): [what: string, text: string][] =>
  Object.entries(MARKDOWN).map(([what, make]) => [what, make(length).slice(0, length)]);
