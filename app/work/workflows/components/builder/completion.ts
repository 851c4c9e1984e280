import type { Draft, ExpressionName, PartType } from "../../builder.schema";
import { findPartType, partTitle } from "../../builder-draft.shared";
import { stepPath } from "../../workflows.shared";

const MAX_SUGGESTIONS = 20;
const TOKEN = /[A-Za-z_][A-Za-z0-9_.]*$/;

/** Outputs of trigger and steps, with their fields. */
function partNames(draft: Draft, partId: string, types: readonly PartType[]): ExpressionName[] {
  const within = (base: string, outputs: readonly ExpressionName[], of: string) =>
    outputs.map(({ name, description }) => ({
      name: `${base}.${name}`,
      description: `${of}: ${description}`,
    }));
  const at = draft.steps.findIndex(({ id }) => id === partId);
  // Lists run in order; with connections the server validates.
  const earlier = draft.connections.length === 0 && at >= 0 ? draft.steps.slice(0, at) : draft.steps;
  return [
    ...draft.triggers.flatMap((part) => {
      const type = findPartType(types, "triggers", part.type);
      return within("trigger", type?.outputs ?? [], partTitle(part, type));
    }),
    ...earlier.flatMap((part) => {
      if (part.id === partId) return [];
      const type = findPartType(types, "steps", part.type);
      const title = partTitle(part, type);
      return [
        ...within(stepPath(part.id), type?.outputs ?? [], title),
        { name: stepPath(part.id), description: `Output of ${title}` },
      ];
    }),
  ];
}

/** Names available to a part, nearest first. */
export function namesFor(
  draft: Draft,
  partId: string,
  names: readonly ExpressionName[],
  types: readonly PartType[],
): ExpressionName[] {
  const all = [...partNames(draft, partId, types), ...names.filter(({ name }) => name !== "steps")];
  return all.filter((one, at) => all.findIndex(({ name }) => name === one.name) === at);
}

function tokenAt(text: string, cursor: number, isExpression: boolean): string | undefined {
  const before = text.slice(0, cursor);
  if (!isExpression && before.lastIndexOf("{{") <= before.lastIndexOf("}}")) return undefined;
  return TOKEN.exec(before)?.[0] ?? "";
}

/** Completions at the cursor. */
export function complete(
  text: string,
  cursor: number,
  isExpression: boolean,
  names: readonly ExpressionName[],
): ExpressionName[] {
  const token = tokenAt(text, cursor, isExpression);
  if (token === undefined || (token === "" && isExpression)) return [];
  return names.filter(({ name }) => name !== token && name.startsWith(token)).slice(0, MAX_SUGGESTIONS);
}

/** Completes a name and moves the cursor. */
export function insertName(text: string, cursor: number, name: string): { text: string; cursor: number } {
  const before = text.slice(0, cursor).replace(TOKEN, "");
  return { text: `${before}${name}${text.slice(cursor)}`, cursor: before.length + name.length };
}
