import type { Draft, DraftPart, ExpressionName, PartKind, PartType } from "../../builder.schema";
import { connectionsOf, findPartType, partTitle } from "../../builder-draft.shared";
import { parallelOf, stepPath } from "../../workflows.shared";

const MAX_SUGGESTIONS = 20;
const TOKEN = /[A-Za-z_][A-Za-z0-9_.]*$/;

interface EarlierPart {
  kind: PartKind;
  part: DraftPart;
  type: PartType | undefined;
  title: string;
}

/** Triggers, and the steps that can have run before a part. */
export function earlierParts(draft: Draft, partId: string, types: readonly PartType[]): EarlierPart[] {
  const at = draft.steps.findIndex(({ id }) => id === partId);
  const connections = connectionsOf(draft, types);
  const before = new Set<string>([partId]);
  // A set's iteration also visits what is added meanwhile.
  for (const id of before) for (const { from, to } of connections) if (to === id) before.add(from);
  // One that isn't connected yet may come after any.
  const isOpen = at < 0 || before.size === 1;
  const split = at < 0 ? -1 : parallelOf(draft.steps, at);
  const isEarlier = (id: string, index: number) =>
    id !== partId &&
    (draft.connections.length === 0 && at >= 0
      ? index < at && (split === -1 || index <= split)
      : isOpen || before.has(id));
  const described = (kind: PartKind) => (part: DraftPart) => {
    const type = findPartType(types, kind, part.type);
    return { kind, part, type, title: partTitle(part, type) };
  };
  return [
    ...draft.triggers.map(described("triggers")),
    ...draft.steps.filter(({ id }, index) => isEarlier(id, index)).map(described("steps")),
  ];
}

/** Names of a part's output as its type documents them. */
export function documentedNames({ kind, part, type, title }: EarlierPart): ExpressionName[] {
  const base = kind === "triggers" ? "trigger" : stepPath(part.id);
  const fields = (type?.outputs ?? []).map(({ name, description }) => ({
    name: `${base}.${name}`,
    description: `${title}: ${description}`,
  }));
  return kind === "triggers" ? fields : [...fields, { name: base, description: `Output of ${title}` }];
}

/** Names available to a part, nearest first. */
export function namesFor(
  draft: Draft,
  partId: string,
  names: readonly ExpressionName[],
  types: readonly PartType[],
): ExpressionName[] {
  const own = earlierParts(draft, partId, types).flatMap(documentedNames);
  const all = [...own, ...names.filter(({ name }) => name !== "steps")];
  return all.filter((one, at) => all.findIndex(({ name }) => name === one.name) === at);
}

/** Whether a position in a text lies within `{{ … }}`. */
const isWithin = (before: string) => before.lastIndexOf("{{") > before.lastIndexOf("}}");

function tokenAt(text: string, cursor: number, isExpression: boolean): string | undefined {
  const before = text.slice(0, cursor);
  if (!isExpression && !isWithin(before)) return undefined;
  return TOKEN.exec(before)?.[0] ?? "";
}

/** Completions at the cursor: names that begin with what is typed, then those that have it anywhere. */
export function complete(
  text: string,
  cursor: number,
  isExpression: boolean,
  names: readonly ExpressionName[],
): ExpressionName[] {
  const token = tokenAt(text, cursor, isExpression);
  if (token === undefined || (token === "" && isExpression)) return [];
  const others = names.filter(({ name }) => name !== token);
  const begin = others.filter(({ name }) => name.startsWith(token));
  const inside = others.filter(({ name }) => !name.startsWith(token) && name.includes(token));
  return [...begin, ...inside].slice(0, MAX_SUGGESTIONS);
}

interface Inserted {
  text: string;
  cursor: number;
}

/** Completes a name, closes its braces, and moves the cursor behind the name. */
export function insertName(text: string, cursor: number, name: string, isExpression: boolean): Inserted {
  const before = text.slice(0, cursor).replace(TOKEN, "");
  const after = text.slice(cursor);
  const [nextOpen, nextClose] = [after.indexOf("{{"), after.indexOf("}}")];
  const isClosed = nextClose >= 0 && (nextOpen < 0 || nextClose < nextOpen);
  const needsClose = !isExpression && isWithin(before) && !isClosed && !name.endsWith("(");
  const added = `${before.endsWith("{{") ? " " : ""}${name}`;
  return {
    text: `${before}${added}${needsClose ? " }}" : ""}${after}`,
    cursor: before.length + added.length + (needsClose ? 3 : 0),
  };
}

/** Inserts a whole value: with its braces, unless the cursor is within some. */
export function insertValue(text: string, cursor: number, name: string, isExpression: boolean): Inserted {
  const before = text.slice(0, cursor);
  const added = isExpression || isWithin(before) ? name : `{{ ${name} }}`;
  return { text: `${before}${added}${text.slice(cursor)}`, cursor: cursor + added.length };
}
