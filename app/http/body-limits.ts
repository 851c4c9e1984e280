/** Default, and limit of forms that aren't multipart, in bytes. */
export const DEFAULT_BODY_BYTES = 1024 * 1024;
/** Upper limit of declared limits, in bytes. */
export const BODY_CEILING = 1_000_000_000;

export function formatLimit(bytes: number): string {
  return bytes >= 1_000_000_000 ? `${bytes / 1_000_000_000} GB` : `${bytes / 2 ** 20} MB`;
}
