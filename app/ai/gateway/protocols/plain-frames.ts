const QUOTE = 34;
const SPACE = 32;

function valueAt(frame: string, member: string): number {
  const index = frame.indexOf(member);
  if (index === -1) return -1;
  const at = index + member.length;
  return frame.charCodeAt(at) === SPACE ? at + 1 : at;
}

export function startsWith(code: number, frame: string, member: string): boolean {
  const at = valueAt(frame, member);
  return at !== -1 && frame.charCodeAt(at) === code;
}

export function isPlainChat(frame: string): boolean {
  if (!frame.startsWith("data:") || frame.includes("\n")) return false;
  const text = valueAt(frame, '"content":');
  if (text === -1 || frame.charCodeAt(text) !== QUOTE || frame.charCodeAt(text + 1) === QUOTE) return false;
  return !startsWith(QUOTE, frame, '"finish_reason":');
}

export function isPlainNamed(frame: string, isDelta: (name: string) => boolean): boolean {
  const end = frame.indexOf("\n");
  if (end === -1 || !frame.startsWith("event: ") || !frame.startsWith("data:", end + 1)) return false;
  return frame.indexOf("\n", end + 1) === -1 && isDelta(frame.slice(7, end));
}
