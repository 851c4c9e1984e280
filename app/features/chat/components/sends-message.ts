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
