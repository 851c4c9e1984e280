import type { PartKind } from "../../builder.schema";

type Problems = Readonly<Record<string, readonly string[]>>;

/** A field's message without its prefix, such as `Write the digest (digest): Prompt: `. */
export function problemOf(problems: Problems, path: string, label: string): string | undefined {
  const message = problems[path]?.[0];
  const at = message?.indexOf(`${label}: `) ?? -1;
  return at < 0 ? message : message?.slice(at + label.length + 2);
}

export function countProblems(problems: Problems, kind: PartKind, index: number): number {
  return Object.keys(problems).filter((path) => path.startsWith(`${kind}.${index}.`)).length;
}
