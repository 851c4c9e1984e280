/** Paths of invitations, approvals and webhooks, including encoded and mixed-case spellings. */
const SECRET_LINK = /^\/+(invite|approve|shared|api\/+hooks)\/+(?=[^/])/i;

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // Malformed encoding, which the router doesn't decode either.
    return path;
  }
}

/** Removes the secret at the end of a link's or webhook's path. */
export function loggablePath(path: string): string {
  const link = SECRET_LINK.exec(decoded(path))?.[1];
  return link ? `/${link.toLowerCase().replace(/\/+/, "/")}/***` : path;
}
