/** Of a body whose endpoint or action declares nothing else, and of every form that isn't multipart, in bytes. */
export const DEFAULT_BODY_BYTES = 1024 * 1024;
/** Of any body, in bytes; only a declared limit lets an endpoint read more than the default. */
export const BODY_CEILING = 1_000_000_000;

/** A limit for people, such as "10 MB". */
export function formatLimit(bytes: number): string {
  return bytes >= 1_000_000_000 ? `${bytes / 1_000_000_000} GB` : `${bytes / 2 ** 20} MB`;
}
