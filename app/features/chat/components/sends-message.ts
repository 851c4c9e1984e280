import type { KeyboardEvent } from "react";

interface Press {
  key: string;
  shiftKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  /** The key belongs to an input method that is composing a character. */
  isComposing: boolean;
}

/** Whether a key sends the message: Ctrl/Cmd+Enter always, Enter where the person and the device want it to. */
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

/**
 * Whether a key pressed in a message's field sends it. Where the keyboard is on the screen, Enter breaks the line: there is
 * no Shift+Enter to do it.
 */
export function isSendKey(event: KeyboardEvent, enterSends: boolean): boolean {
  const isCoarse = window.matchMedia("(pointer: coarse)").matches;
  return sendsMessage(pressOf(event), enterSends && !isCoarse);
}
