/** Opens the dialog that shares a conversation, over what its page shows by `search`. */
export function shareAddress(id: string, search = ""): string {
  const query = new URLSearchParams(search);
  query.set("dialog", "share");
  return `/chat/${id}/share?${query}`;
}
