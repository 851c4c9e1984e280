/** The address of an invitation, an approval or a webhook however it may be spelt and still be routed: in any case, with slashes or letters encoded. */
const SECRET_LINK = /^\/+(invite|approve|shared|api\/+hooks)\/+(?=[^/])/i;

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // Not an encoding at all; the router doesn't decode it either.
    return path;
  }
}

/** A request's path as it may stand in the log: without the secret that the address of a link or a webhook ends in. */
export function loggablePath(path: string): string {
  const link = SECRET_LINK.exec(decoded(path))?.[1];
  return link ? `/${link.toLowerCase().replace(/\/+/, "/")}/***` : path;
}
