import { useEffect, useRef } from "react";
import { parseWellFormed } from "~/core/well-formed";
import { readDraftJson } from "../../builder-form.shared";
import type { Copied } from "../../graph-edits.shared";

/** Marks copied parts among other texts of the clipboard. */
const MARK = "workflow-parts";
/** Characters of a pasted text. */
const MAX_LENGTH = 500_000;

const isPoint = (value: unknown) =>
  typeof value === "object" &&
  value !== null &&
  Number.isFinite((value as Record<string, unknown>).x) &&
  Number.isFinite((value as Record<string, unknown>).y);

export const writeCopied = (copied: Copied) => JSON.stringify({ is: MARK, ...copied }, null, 2);

/** @returns undefined if the text isn't of copied parts */
export function readCopied(text: string): Copied | undefined {
  if (text.length > MAX_LENGTH || !text.includes(MARK)) return undefined;
  let parsed: unknown;
  try {
    parsed = parseWellFormed(text);
  } catch {
    // Another text that has the word.
    return undefined;
  }
  const { is, isList } = (parsed ?? {}) as Record<string, unknown>;
  if (is !== MARK) return undefined;
  const { triggers, steps, connections } = readDraftJson(text);
  const own = (parts: typeof steps) =>
    parts.map(({ id, type, name, config, options, position, condition, asText }) => ({
      id,
      type,
      config,
      ...(typeof name === "string" && { name }),
      ...(typeof options === "object" && options !== null && { options }),
      ...(isPoint(position) && position && { position: { x: position.x, y: position.y } }),
      ...(condition && { condition }),
      ...(asText === true && { asText }),
    }));
  return { triggers: own(triggers), steps: own(steps), connections, isList: isList === true };
}

/** Whether the keys belong to a text or a dialog. */
const isElsewhere = (target: EventTarget | null) =>
  !(target instanceof Element) ||
  target.closest("input, textarea, select, dialog, [contenteditable]") !== null ||
  window.getSelection()?.isCollapsed === false;

interface CanvasKeys {
  /** Undefined if nothing is selected. */
  copy(): Copied | undefined;
  paste(copied: Copied): void;
  remove(): void;
  duplicate(): void;
  selectAll(): void;
}

/** Copy, cut, paste, duplicate and select all, unless the focus is in a text. */
export function useCanvasKeys(keys: CanvasKeys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const onCopy = (event: ClipboardEvent) => {
      const copied = isElsewhere(event.target) ? undefined : latest.current.copy();
      if (!copied || !event.clipboardData) return;
      event.preventDefault();
      event.clipboardData.setData("text/plain", writeCopied(copied));
      if (event.type === "cut") latest.current.remove();
    };
    const onPaste = (event: ClipboardEvent) => {
      const copied = isElsewhere(event.target)
        ? undefined
        : readCopied(event.clipboardData?.getData("text/plain") ?? "");
      if (!copied) return;
      event.preventDefault();
      latest.current.paste(copied);
    };
    const onKeyDown = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
      const key = event.key.toLowerCase();
      if ((key !== "a" && key !== "d") || isElsewhere(event.target)) return;
      event.preventDefault();
      if (key === "a") latest.current.selectAll();
      else latest.current.duplicate();
    };
    document.addEventListener("copy", onCopy, { signal });
    document.addEventListener("cut", onCopy, { signal });
    document.addEventListener("paste", onPaste, { signal });
    document.addEventListener("keydown", onKeyDown, { signal });
    return () => controller.abort();
  }, []);
}
