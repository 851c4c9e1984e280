/** An invitation's address however it may be spelt and still be routed: in any case, with slashes or letters encoded. */
const INVITATION = /^\/+invite\/+(?=[^/])/i;

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // Not an encoding at all; the router doesn't decode it either.
    return path;
  }
}

/** A request's path as it may stand in the log: without the secret that an invitation's address ends in. */
export function loggablePath(path: string): string {
  return INVITATION.test(decoded(path)) ? "/invite/***" : path;
}
