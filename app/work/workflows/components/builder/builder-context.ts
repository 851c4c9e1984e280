import { createContext, type MouseEvent, useContext } from "react";
import type {
  Choices,
  Draft,
  DraftPart,
  ExpressionName,
  PartKind,
  PartType,
  Tried,
} from "../../builder.schema";
import { applyOperation } from "../../builder-operations.shared";
import type { RunTrace } from "../../run-drawing.shared";
import type { ChangeDraft } from "./use-draft";

interface BuilderContext {
  draft: Draft;
  change: ChangeDraft;
  types: readonly PartType[];
  choices: Choices;
  names: readonly ExpressionName[];
  problems: Readonly<Record<string, readonly string[]>>;
  /** Whether the fields are submitted; the canvas sends its draft instead. */
  sendsFields: boolean;
  /** The last tried step and its sample. */
  tried: Tried | undefined;
  /** The run that is drawn on the graph. */
  run: RunTrace | undefined;
}

const Context = createContext<BuilderContext | undefined>(undefined);
export const BuilderProvider = Context.Provider;

export function useBuilder(): BuilderContext {
  const context = useContext(Context);
  if (!context) throw new Error("useBuilder() outside of the builder");
  return context;
}

/** A part in its list. */
export interface PartProps {
  kind: PartKind;
  index: number;
  part: DraftPart;
}

/** Names the fields of a part in the form; without names they aren't submitted. */
export function useFieldName({ kind, index }: Pick<PartProps, "kind" | "index">) {
  const { sendsFields } = useBuilder();
  return (path: string) => (sendsFields ? { name: `${kind}[${index}].${path}` } : {});
}

/** Props of buttons that change the draft at once, or without JavaScript by their form, which then shows `anchor`. */
export function useOperations(onOperation?: (anchor: string) => void) {
  const { change, types } = useBuilder();
  return (operation: string, anchor: string) => ({
    name: "op",
    value: operation,
    formAction: `#${anchor}`,
    onClick: (event: MouseEvent) => {
      event.preventDefault();
      onOperation?.(anchor);
      change((before) => applyOperation(before, operation, types));
    },
  });
}

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

const isBlank = (value: unknown) => value === undefined || value === null || String(value).trim() === "";

/**
 * What is shown before the workflow was tried, run or saved: a field that nobody typed into yet isn't wrong for being blank.
 * @param touched fields by what their changes are `about`, such as `steps.log_1.message`
 */
export function typedProblems(draft: Draft, problems: Problems, touched: ReadonlySet<string>): Problems {
  const shown = Object.entries(problems).filter(([path]) => {
    const [, kind, index, field = ""] = /^(triggers|steps)\.(\d+)\.config\.([^.]+)$/.exec(path) ?? [];
    const part = kind && draft[kind as PartKind][Number(index)];
    if (!part) return true;
    return !isBlank(part.config[field]) || touched.has(`${kind}.${part.id}.${field}`);
  });
  return Object.fromEntries(shown);
}
