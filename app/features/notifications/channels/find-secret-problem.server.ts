import { AppError } from "~/core/errors";

/** Why a referenced secret can't be used; undefined where it can. */
export function findSecretProblem(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}
