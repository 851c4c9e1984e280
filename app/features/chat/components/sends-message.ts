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

/**
 * Whether a key pressed in a message's field sends it. Where the keyboard is on the screen, Enter breaks the line: there is
 * no Shift+Enter to do it.
 */
export function isSendKey(event: KeyboardEvent, enterSends: boolean): boolean {
  const { key, shiftKey, ctrlKey, metaKey, altKey } = event;
  const { isComposing } = event.nativeEvent;
  const isCoarse = window.matchMedia("(pointer: coarse)").matches;
  return sendsMessage({ key, shiftKey, ctrlKey, metaKey, altKey, isComposing }, enterSends && !isCoarse);
}
