import { AppError } from "~/core/errors";

/** A record for a page that shows itself what can't be found, so that a refused form keeps what was typed. */
export function findOrExplain<T>(read: () => T): { selected?: T; missing?: string } {
  try {
    return { selected: read() };
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return { missing: error.message };
    throw error;
  }
}
