import { useReducer } from "react";
import type { Draft } from "../../builder.schema";

const MAX_UNDO_STEPS = 100;

interface History {
  past: readonly Draft[];
  draft: Draft;
  future: readonly Draft[];
  /** Groups typing in one field into one undo step. */
  about: string | undefined;
}

type Action =
  | { kind: "change"; change: (draft: Draft) => Draft; about?: string }
  | { kind: "undo" }
  | { kind: "redo" };

function reduce(history: History, action: Action): History {
  const { past, draft, future } = history;
  if (action.kind === "undo") {
    const before = past.at(-1);
    return before
      ? { past: past.slice(0, -1), draft: before, future: [draft, ...future], about: undefined }
      : history;
  }
  if (action.kind === "redo") {
    const [after, ...rest] = future;
    return after ? { past: [...past, draft], draft: after, future: rest, about: undefined } : history;
  }
  const next = action.change(draft);
  if (next === draft) return history;
  const isContinued = action.about !== undefined && action.about === history.about;
  return {
    past: isContinued ? past : [...past, draft].slice(-MAX_UNDO_STEPS),
    draft: next,
    future: [],
    about: action.about,
  };
}

/** Consecutive changes `about` the same field are one undo step. */
export type ChangeDraft = (change: (draft: Draft) => Draft, about?: string) => void;

/** The draft with undo and redo. */
export function useDraft(start: Draft) {
  const [history, dispatch] = useReducer(reduce, {
    past: [],
    draft: start,
    future: [],
    about: undefined,
  });
  const change: ChangeDraft = (apply, about) =>
    dispatch({ kind: "change", change: apply, ...(about === undefined ? {} : { about }) });
  return {
    draft: history.draft,
    change,
    undo: () => dispatch({ kind: "undo" }),
    redo: () => dispatch({ kind: "redo" }),
    canUndo: history.past.length > 0,
    canRedo: history.future.length > 0,
  };
}
