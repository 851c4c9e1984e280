import type { KeyboardEvent } from "react";

interface Press {
  key: string;
  shiftKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  /** An input method is composing a character. */
  isComposing: boolean;
}

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

const pressOf = ({ key, shiftKey, ctrlKey, metaKey, altKey, nativeEvent }: KeyboardEvent): Press => ({
  key,
  shiftKey,
  ctrlKey,
  metaKey,
  altKey,
  isComposing: nativeEvent.isComposing,
});

export const isEditKey = (event: KeyboardEvent): boolean => editsLast(pressOf(event));

/** On touch keyboards Enter breaks the line: they have no Shift+Enter. */
export function isSendKey(event: KeyboardEvent, enterSends: boolean): boolean {
  const isCoarse = window.matchMedia("(pointer: coarse)").matches;
  return sendsMessage(pressOf(event), enterSends && !isCoarse);
}
