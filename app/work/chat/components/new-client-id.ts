/** An id of a message or upload. Sorts by time, as the server's ids do. Plain HTTP has no `crypto.randomUUID`. */
export function newClientId(): string {
  const time = Date.now().toString(36).padStart(9, "0");
  const random = crypto.getRandomValues(new Uint8Array(16));
  return `msg_${time}${[...random].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
