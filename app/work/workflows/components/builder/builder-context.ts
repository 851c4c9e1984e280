import { createContext, useContext } from "react";
import type { Choices, Draft, ExpressionName, PartType, Tried } from "../../builder.schema";
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
}

const Context = createContext<BuilderContext | undefined>(undefined);
export const BuilderProvider = Context.Provider;

export function useBuilder(): BuilderContext {
  const context = useContext(Context);
  if (!context) throw new Error("useBuilder() outside of the builder");
  return context;
}
