import { useFetcher, useNavigation } from "@remix-run/react";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { useBrowserLayout } from "~/ui/hydration";
import { CHECKS } from "~/ui/sending";
import { keepInTab, readFromTab } from "~/ui/tab-storage";
import type { Draft, DraftFacts } from "../../builder.schema";
import { readDraftJson } from "../../builder-form.shared";
import { onceAccepted } from "./accepted-save";

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

/** Names what a save changes in the draft: what it overwrites is the version that it made. */
const withVersion = (draft: Draft, { id, version, updatedAt }: Draft): Draft => ({
  ...draft,
  id,
  version,
  updatedAt,
});

/** Consecutive changes `about` the same field are one undo step. */
export type ChangeDraft = (change: (draft: Draft) => Draft, about?: string) => void;

interface Sent {
  draft: Draft;
  page: string;
  /** As it was loaded then. */
  start: Draft;
  isAccepted: boolean;
}

/**
 * The draft with undo and redo, also over a save. An unsaved one is kept in the tab over a reload and a new sign-in.
 * @param initial as it is first shown
 * @param page names the edited workflow among the kept drafts
 * @param start as loaded; after an accepted save its version
 */
export function useDraft(initial: Draft, page: string, start: Draft) {
  const [history, setHistory] = useState(() => startOf(initial));
  const [saved, setSaved] = useState(history.draft);
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const { past, draft, future } = history;
  const change: ChangeDraft = (apply, about) => {
    setHistory((before) => add(before, apply(before.draft), about));
    if (about !== undefined && !touched.has(about)) setTouched(new Set([...touched, about]));
  };
  const isChanged = draft !== saved;
  const [isRestored, setRestored] = useState<boolean>();

  const { state } = useNavigation();
  const sent = useRef<Sent>();
  // An accepted save leads back to this page, with the version that it made. Before the draft is kept under the new address.
  useBrowserLayout(() => {
    if (state !== "idle" || !sent.current) return;
    const { draft: accepted, page: sentPage, start: loaded, isAccepted } = sent.current;
    // What was refused or cut off left the page as it was.
    if (start === loaded || !isAccepted) return;
    sent.current = undefined;
    keepInTab(keyOf(sentPage), undefined);
    const versioned = new Map<Draft, Draft>();
    const rebase = (one: Draft) => {
      const next = versioned.get(one) ?? withVersion(one, start);
      versioned.set(one, next);
      return next;
    };
    setSaved(rebase(accepted));
    setRestored(false);
    setHistory((before) => ({
      past: before.past.map(rebase),
      draft: rebase(before.draft),
      future: before.future.map(rebase),
      about: undefined,
    }));
  }, [state, start]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page's script takes over.
  useEffect(() => {
    const kept = readFromTab(keyOf(page));
    setRestored(kept !== undefined);
    if (kept) change(() => readDraftJson(kept));
  }, []);
  useEffect(() => {
    if (isRestored === undefined) return;
    keepInTab(keyOf(page), isChanged ? JSON.stringify(draft) : undefined);
  }, [page, draft, isChanged, isRestored]);

  return {
    draft,
    change,
    /** Fields that were typed into, by what their changes are `about`. */
    touched,
    isChanged,
    /** Called as the form is sent. */
    onSend(event: FormEvent<HTMLFormElement>) {
      const { submitter } = event.nativeEvent as SubmitEvent;
      if (!(submitter instanceof HTMLButtonElement && /^(save|run)$/.test(submitter.value))) return;
      const save = { draft, page, start, isAccepted: false };
      sent.current = save;
      onceAccepted(() => {
        save.isAccepted = true;
        // Who reads "Saved" may leave at once, and must not find the draft restored.
        keepInTab(keyOf(page), undefined);
      });
    },
    undo: () => setHistory(undo),
    redo: () => setHistory(redo),
    canUndo: past.length > 0,
    canRedo: future.length > 0,
    isRestored: isRestored && isChanged,
    /** Drops the kept draft, before the page is left or with what was restored. */
    discard() {
      keepInTab(keyOf(page), undefined);
      setRestored(undefined);
      setHistory(startOf(saved));
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
  const { state, submit, data } = useFetcher<CheckResponse>({ key: CHECKS });
  // What is saved or run is checked with it.
  const isSending = useNavigation().state !== "idle";
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
    if (state !== "idle" || isSending || present === checkedDraft.current) return;
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
  }, [draft, state, isSending, blurs, submit]);
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
