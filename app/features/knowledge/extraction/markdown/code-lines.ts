import type { Line } from "./lines";

/** What a line of a program, a script or a configuration looks like, and a line of a text hardly ever does. */
const CODE: readonly RegExp[] = [
  // Ends of statements and blocks.
  /[;{}]\s*$|\s\\$|^\s*[})\]]+[;,)]*\s*$/,
  // Assignments and settings.
  /^\s*(?:\w+ )?[\w.$@[\]'"-]+\s*[:+*/|?]?=[^=]/,
  /^\s*\[[\w .":-]+\]\s*$/,
  /^\s*(?:- )?"?[a-z][\w.-]*"?:(?:\s|$)/,
  // Calls.
  /^\s*[\w.]+\(.*\)\s*$/,
  // What begins a statement.
  /^\s*(?:if|for|while|elif|else|try|except|def|class|with|switch|case)\b.*[:{]\s*$/,
  /^\s*(?:import|from|package|using|use|require|module|namespace)\s+[\w.:*"'@/{]+(?:\s+(?:import|as|from)\s.*)?;?\s*$/,
  /^\s*(?:public|private|protected|static|export|const|let|var|function|func|fn|async)\s+\w+.*[({=]/,
  /^\s*(?:fi|done|esac|end|endif|else|then|do)\s*$/,
  /^\s*(?:sudo|echo|cd|export|apt|apt-get|npm|pip|docker|git|curl|wget|mkdir|cp|mv|rm|chmod|chown|ssh|source|exec|exit)\s+[-\w"'$/.~]+/,
  /\$\{?\w+|\s--?[a-z][\w-]*(?:[ =]|$).*\s--?[a-z]/,
  /^(?:FROM|RUN|COPY|ADD|ENV|CMD|ENTRYPOINT|WORKDIR|EXPOSE)\s/,
  /^(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP)\s/,
  // Comments, and the preprocessor's lines.
  /^\s*(?:\/\/|\/\*|\*\/|--\s)/,
  /^\s*#\s*(?:include\s*[<"]|define\s+\w|ifn?def\b|undef\b|pragma\b|endif\b|if\s+\w+\s*[(=!<>]|elif\b)/,
  // A difference between two versions of a file.
  /^(?:diff --git|@@ -\d+|\+\+\+ |--- [ab]\/)/,
];

/** A heading or a comment, an item of a list, a row of a table: says nothing of what the text is. */
const EITHER = /^\s*(?:#{1,6}\s|(?:[-*+]|\d{1,3}[.)])\s|\|)/;

const PREPROCESSOR = /^\s*#\s*(?:include\s*[<"]|define\s+\w|ifn?def\b)/;

/** The share of a text's lines that are code, from 0 to 1. What is indented may be code in both and isn't counted. */
export function codeShare(lines: readonly Line[]): number {
  const telling = lines.filter(
    ({ text }) =>
      text.trim() !== "" && !/^(?: {4}|\t)/.test(text) && (!EITHER.test(text) || PREPROCESSOR.test(text)),
  );
  const code = telling.filter(({ text }) => CODE.some((pattern) => pattern.test(text))).length;
  return telling.length === 0 ? 0 : code / telling.length;
}
