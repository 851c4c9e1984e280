const SECRET_LINK = /^\/+(invite|approve|shared|api\/+hooks)\/+(?=[^/])/i;

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Removes the secret at the end of a link's or webhook's path. */
export function loggablePath(path: string): string {
  const link = SECRET_LINK.exec(decoded(path))?.[1];
  return link ? `/${link.toLowerCase().replace(/\/+/, "/")}/***` : path;
}
