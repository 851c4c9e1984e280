import { AppError } from "~/core/errors";

/** Finds a record, or explains that it is missing: a page that shows the message keeps a refused form's typed values. */
export function findOrExplain<T>(read: () => T): { selected?: T; missing?: string } {
  try {
    return { selected: read() };
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return { missing: error.message };
    throw error;
  }
}
