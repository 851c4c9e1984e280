import type { KeyboardEvent } from "react";

type Press = Pick<
  KeyboardEvent["nativeEvent"],
  "key" | "shiftKey" | "ctrlKey" | "metaKey" | "altKey" | "isComposing"
>;

/** Ctrl/Cmd+Enter always sends, Enter by preference and device. */
export function sendsMessage(press: Press, enterSends: boolean): boolean {
  if (press.key !== "Enter" || press.isComposing) return false;
  if (press.ctrlKey || press.metaKey) return true;
  return enterSends && !press.shiftKey && !press.altKey;
}

/** Whether a key pressed in an empty field opens the last message for editing. */
export function editsLast({ key, shiftKey, ctrlKey, metaKey, altKey, isComposing }: Press): boolean {
  return key === "ArrowUp" && !(shiftKey || ctrlKey || metaKey || altKey || isComposing);
}

export const isEditKey = (event: KeyboardEvent): boolean => editsLast(event.nativeEvent);

/** On touch keyboards Enter breaks the line: they have no Shift+Enter. */
export function isSendKey(event: KeyboardEvent, enterSends: boolean): boolean {
  const isCoarse = window.matchMedia("(pointer: coarse)").matches;
  return sendsMessage(event.nativeEvent, enterSends && !isCoarse);
}
