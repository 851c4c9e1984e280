/** A string, an escaped character, or a character that affects line breaks. */
const TOKEN = /"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'|\\[\s\S]|[(){};]/g;

/** Formats minified CSS with one declaration per line. */
export function formatCss(minified: string): string {
  let depth = 0;
  let parentheses = 0;
  const line = () => `\n${"  ".repeat(depth)}`;
  const formatted = minified.replaceAll(TOKEN, (token) => {
    if (token === "(") parentheses++;
    if (token === ")") parentheses--;
    if (parentheses > 0) return token;
    if (token === "{") {
      depth++;
      return ` {${line()}`;
    }
    if (token === "}") {
      depth--;
      return `${line()}}${line()}`;
    }
    return token === ";" ? `;${line()}` : token;
  });
  return `${formatted.replaceAll(/\n\s*(?=\n)/g, "").trim()}\n`;
}
