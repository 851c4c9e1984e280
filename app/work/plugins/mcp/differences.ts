import type { DifferenceLine } from "./mcp.schema";

interface ServerDescription {
  description: string;
  inputSchema: Record<string, unknown>;
}

/** Context lines around a change. */
const CONTEXT_LINES = 2;
/** Longer texts aren't diffed by line. */
const MAX_COMPARED = 1000;

function commonLengths(a: readonly string[], b: readonly string[]): Uint16Array[] {
  const table = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--) {
      const [row, next] = [table[i], table[i + 1]] as [Uint16Array, Uint16Array];
      row[j] = a[i] === b[j] ? (next[j + 1] ?? 0) + 1 : Math.max(next[j] ?? 0, row[j + 1] ?? 0);
    }
  return table;
}

const lines = (kind: DifferenceLine["kind"], texts: readonly string[]): DifferenceLine[] =>
  texts.map((text) => ({ kind, text }));

function compareMiddle(a: readonly string[], b: readonly string[]): DifferenceLine[] {
  if (a.length > MAX_COMPARED || b.length > MAX_COMPARED)
    return [...lines("removed", a), ...lines("added", b)];
  const table = commonLengths(a, b);
  const result: DifferenceLine[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const [before = "", after = ""] = [a[i], b[j]];
    if (before === after) {
      result.push({ kind: "same", text: before });
      i += 1;
      j += 1;
    } else if ((table[i + 1]?.[j] ?? 0) >= (table[i]?.[j + 1] ?? 0)) {
      result.push({ kind: "removed", text: before });
      i += 1;
    } else {
      result.push({ kind: "added", text: after });
      j += 1;
    }
  }
  return [...result, ...lines("removed", a.slice(i)), ...lines("added", b.slice(j))];
}

export function compareLines(before: readonly string[], after: readonly string[]): DifferenceLine[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (
    end < Math.min(before.length, after.length) - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end += 1;
  return [
    ...lines("same", before.slice(0, start)),
    ...compareMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...lines("same", before.slice(before.length - end)),
  ];
}

/** Collapses unchanged lines. */
function fold(all: readonly DifferenceLine[]): DifferenceLine[] {
  const isNear = all.map((_, index) =>
    all
      .slice(Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1)
      .some(({ kind }) => kind !== "same"),
  );
  return all.flatMap((line, index) => {
    if (isNear[index]) return [line];
    return index === 0 || isNear[index - 1] ? [{ kind: "gap" as const, text: "" }] : [];
  });
}

/** By sentence, as most descriptions are one long line. */
const sentences = (text: string) => text.split(/\n|(?<=[.!?])\s+/).filter((line) => line.trim() !== "");

const schemaLines = (schema: Record<string, unknown>) => JSON.stringify(schema, null, 2).split("\n");

/** Changes since approval. */
export function compareTools(before: ServerDescription, after: ServerDescription) {
  const description = compareLines(sentences(before.description), sentences(after.description));
  const schema = fold(compareLines(schemaLines(before.inputSchema), schemaLines(after.inputSchema)));
  const isChanged = (all: DifferenceLine[]) => all.some(({ kind }) => kind !== "same" && kind !== "gap");
  return {
    description: isChanged(description) ? description : [],
    schema: isChanged(schema) ? schema : [],
  };
}
