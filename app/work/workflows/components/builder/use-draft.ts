import { useFetcher, useLocation, useNavigation } from "@remix-run/react";
import { useEffect, useRef, useState } from "react";
import { withoutBase } from "~/core/base-path";
import { keepInTab, readFromTab } from "~/ui/tab-storage";
import type { Draft, DraftFacts } from "../../builder.schema";
import { readDraftJson } from "../../builder-form.shared";

const MAX_UNDO_STEPS = 100;

interface History {
  past: readonly Draft[];
  draft: Draft;
  future: readonly Draft[];
  /** Groups typing in one field into one undo step. */
  about: string | undefined;
}

const startOf = (draft: Draft): History => ({ past: [], draft, future: [], about: undefined });

function undo({ past, draft, future, ...rest }: History): History {
  const before = past.at(-1);
  if (!before) return { past, draft, future, ...rest };
  return { past: past.slice(0, -1), draft: before, future: [draft, ...future], about: undefined };
}

function redo({ past, draft, future: [after, ...future], ...rest }: History): History {
  if (!after) return { past, draft, future, ...rest };
  return { past: [...past, draft], draft: after, future, about: undefined };
}

function add(history: History, draft: Draft, about: string | undefined): History {
  if (draft === history.draft) return history;
  const isContinued = about !== undefined && about === history.about;
  const past = isContinued ? history.past : [...history.past, history.draft].slice(-MAX_UNDO_STEPS);
  return { past, draft, future: [], about };
}

/** Another person may sign in in the same tab. */
const keyOf = (page: string) => `workflow:${document.documentElement.dataset.person ?? ""}:${page}`;

/** Whether the form was accepted and the page after it is loading. A redirect to sign in is none: it loads the document. */
function useIsSaved(): boolean {
  const { pathname, search } = useLocation();
  const { state, formMethod, location } = useNavigation();
  return (
    state === "loading" &&
    formMethod === "POST" &&
    (withoutBase(location.pathname) !== pathname || location.search !== search)
  );
}

/** Consecutive changes `about` the same field are one undo step. */
export type ChangeDraft = (change: (draft: Draft) => Draft, about?: string) => void;

/**
 * The draft with undo and redo. An unsaved one is kept in the tab over a reload and a new sign-in.
 * @param page names the edited workflow among the kept drafts
 */
export function useDraft(start: Draft, page: string) {
  const [{ past, draft, future }, setHistory] = useState(() => startOf(start));
  const change: ChangeDraft = (apply, about) =>
    setHistory((history) => add(history, apply(history.draft), about));
  const isSaved = useIsSaved();
  const isChanged = past.length > 0;
  const [isRestored, setRestored] = useState<boolean>();

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page's script takes over.
  useEffect(() => {
    const kept = readFromTab(keyOf(page));
    setRestored(kept !== undefined);
    if (kept) change(() => readDraftJson(kept));
  }, []);
  useEffect(() => {
    if (isRestored === undefined) return;
    keepInTab(keyOf(page), isChanged && !isSaved ? JSON.stringify(draft) : undefined);
  }, [page, draft, isChanged, isSaved, isRestored]);

  return {
    draft,
    change,
    undo: () => setHistory(undo),
    redo: () => setHistory(redo),
    canUndo: isChanged,
    canRedo: future.length > 0,
    isRestored: isRestored && isChanged,
    /** Drops the kept draft, before the page is left or with what was restored. */
    discard() {
      keepInTab(keyOf(page), undefined);
      setRestored(undefined);
      setHistory((history) => startOf(history.past[0] ?? history.draft));
    },
  };
}

type Problems = Readonly<Record<string, readonly string[]>>;
interface Checked {
  problems: Problems;
  facts: DraftFacts;
}
interface CheckResponse {
  shown?: Partial<Checked> | undefined;
}

/** Pause in typing after which an expression is checked, in ms. */
const TYPING_PAUSE = 500;

/** The server's input, without positions. */
const withoutPositions = (draft: Draft) =>
  JSON.stringify(draft, (key, value) => (key === "position" ? undefined : value));

/** Runs at once, or after the press that has begun: what moved under the pointer would lose its click. @returns cancels */
function whenReleased(run: () => void): (() => void) | undefined {
  if (!document.querySelector(":active")) return void run();
  const controller = new AbortController();
  for (const type of ["pointerup", "pointercancel", "keyup"])
    addEventListener(type, run, { once: true, signal: controller.signal });
  return () => controller.abort();
}

/**
 * Validates on blur, while an expression is typed and on other changes, one request at a time. An answer about an older
 * draft is left: its problems may be solved.
 * @param saved what a refused save found, which stands until another check
 * @returns undefined before the first answer
 */
export function useCheck(draft: Draft, saved: unknown): Partial<Checked> & { onBlur(): void } {
  const { state, submit, data } = useFetcher<CheckResponse>();
  const [problems, setProblems] = useState<Problems>();
  const [facts, setFacts] = useState<DraftFacts>();
  const [lastSaved, setLastSaved] = useState(saved);
  if (saved !== lastSaved) {
    setLastSaved(saved);
    setProblems(undefined);
  }
  const [blurs, setBlurs] = useState(0);
  const checkedDraft = useRef(withoutPositions(draft));
  const checkedBlurs = useRef(0);
  useEffect(() => {
    const present = withoutPositions(draft);
    if (state !== "idle" || present === checkedDraft.current) return;
    const field = document.activeElement;
    const typing =
      blurs === checkedBlurs.current && field?.matches("textarea, input:not([type=checkbox], [type=time])");
    if (typing && !field?.matches("[data-expression]")) return;
    const check = () => {
      checkedBlurs.current = blurs;
      checkedDraft.current = present;
      submit({ intent: "check", view: "canvas", ...draftFields(draft) }, { method: "post" });
    };
    const timer = setTimeout(check, typing ? TYPING_PAUSE : 0);
    return () => clearTimeout(timer);
  }, [draft, state, blurs, submit]);
  const answer = data?.shown;
  useEffect(() => {
    if (!answer || state !== "idle" || withoutPositions(draft) !== checkedDraft.current) return undefined;
    return whenReleased(() => {
      setProblems(answer.problems);
      setFacts(answer.facts);
    });
  }, [answer, draft, state]);
  return {
    ...(problems && { problems }),
    ...(facts && { facts }),
    onBlur: () => setBlurs((count) => count + 1),
  };
}

function draftFields({ name, description, model, ...draft }: Draft): Record<string, string> {
  return { draft: JSON.stringify(draft), name, description, model };
}
