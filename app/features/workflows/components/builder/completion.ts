import type { Draft, ExpressionName } from "../../builder.schema";

const MOST = 8;
const TOKEN = /[A-Za-z_][A-Za-z0-9_.]*$/;

/** The names that an expression of a part may use: what is always there, and the steps before it. */
export function namesFor(draft: Draft, partId: string, names: readonly ExpressionName[]): ExpressionName[] {
  const steps = draft.steps
    .filter(({ id }) => id !== partId)
    .map(({ id, name, type }) => ({ name: `steps.${id}`, description: `Output of ${name || type}` }));
  return [...names.filter(({ name }) => name !== "steps"), ...steps];
}

/** The beginning of a name before the cursor; undefined where no expression is being written. */
function tokenAt(text: string, cursor: number, isExpression: boolean): string | undefined {
  const before = text.slice(0, cursor);
  if (!isExpression && before.lastIndexOf("{{") <= before.lastIndexOf("}}")) return undefined;
  return TOKEN.exec(before)?.[0] ?? "";
}

/** What may stand at the cursor; nothing where no name has been started in an expression of its own. */
export function complete(
  text: string,
  cursor: number,
  isExpression: boolean,
  names: readonly ExpressionName[],
): ExpressionName[] {
  const token = tokenAt(text, cursor, isExpression);
  if (token === undefined || (token === "" && isExpression)) return [];
  return names.filter(({ name }) => name !== token && name.startsWith(token)).slice(0, MOST);
}

/** The text with a name in place of its beginning, and where the cursor goes. */
export function insertName(text: string, cursor: number, name: string): { text: string; cursor: number } {
  const before = text.slice(0, cursor).replace(TOKEN, "");
  return { text: `${before}${name}${text.slice(cursor)}`, cursor: before.length + name.length };
}
