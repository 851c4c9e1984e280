/** The address of an invitation or an approval however it may be spelt and still be routed: in any case, with slashes or letters encoded. */
const ONE_TIME_LINK = /^\/+(invite|approve)\/+(?=[^/])/i;

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // Not an encoding at all; the router doesn't decode it either.
    return path;
  }
}

/** A request's path as it may stand in the log: without the secret that a one-time link's address ends in. */
export function loggablePath(path: string): string {
  const link = ONE_TIME_LINK.exec(decoded(path))?.[1];
  return link ? `/${link.toLowerCase()}/***` : path;
}
